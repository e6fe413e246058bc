import { env } from "cloudflare:workers";
import { expect, it, vi } from "vitest";
import { del, get, post } from "../../../support/client.ts";
import { crash } from "../../../support/crash.ts";
import { expectError } from "../../../support/expect-errors.ts";

const ROUNDS = 10;

function invoke() {
  const parameters = { document: "[1]", path: "$[0]" };
  return post("/agents/tools/json-workbench/invoke", { capability: "query", parameters });
}

async function typesOf(limitId: string): Promise<string[]> {
  const answer = await get("/agents/events?type=limit.warned,limit.exceeded&limit=100");
  expect(answer.status, answer.text).toBe(200);
  const events: { limitId: string; type: string }[] = answer.body.data.events;
  return events.filter((event) => event.limitId === limitId).map(({ type }) => type);
}

it("a crash right after a limit is reached or exceeded loses and repeats no event", async () => {
  const object = env.LIMITS.get(env.LIMITS.idFromName("limits"));
  for (let round = 0; round < ROUNDS; round += 1) {
    const id = `crashed-${round}`;
    const rule = { name: "One", scope: { all: true }, measure: "calls", per: "total", limit: 1 };
    expect((await post("/agents/limits", { id, ...rule })).status).toBe(201);
    expect((await invoke()).status).toBe(200);
    await crash(object);
    expectError(await invoke(), 402, "SPENDING_LIMIT_EXCEEDED");
    await crash(object);
    expect((await del(`/agents/limits/${id}`)).status).toBe(200);
    await vi.waitUntil(async () => (await typesOf(id)).length >= 2, { timeout: 15_000 });
    expect(await typesOf(id)).toEqual(["limit.warned", "limit.exceeded"]);
  }
}, 60_000);
