import { beforeAll, expect, it } from "vitest";
import { get, post, type Answer } from "../../support/client.ts";
import { keyWith } from "../../support/keys.ts";
import { queryCapability, invoke, registerHttpTool } from "../../support/server-tools.ts";
import { expectError } from "../../support/expect-errors.ts";
import { passTime, stopClock } from "../../support/tasks.ts";

const STATUS = queryCapability("status", "/status", "code");
const OK = queryCapability("ok", "/ok");

beforeAll(stopClock);

async function grant(toolId: string, ...agentIds: readonly string[]): Promise<void> {
  for (const agentId of agentIds) {
    expect((await post("/agents/tools/access", { agentId, toolId })).status).toBe(201);
  }
}

async function times(count: number, call: () => Promise<Answer>): Promise<Answer[]> {
  const answers: Answer[] = [];
  while (answers.length < count) answers.push(await call());
  return answers;
}

it("an agent whose calls fail must wait, but other agents need not", async () => {
  await registerHttpTool("hostile", "shared-ill", [STATUS, OK]);
  await grant("shared-ill", "noisy", "quiet");
  const noisy = { agentId: "noisy" };
  const failing = () => invoke("shared-ill", "status", { code: "500" }, noisy);
  for (const answer of await times(5, failing)) expectError(answer, 502, "TOOL_UPSTREAM_ERROR");
  const waiting = await invoke("shared-ill", "ok", {}, noisy);
  expectError(waiting, 503, "SERVICE_UNAVAILABLE");
  expect(waiting.headers.get("Retry-After")).toBe("10");
  expect(waiting.body.error.message).toBe(
    'Tool "shared-ill" is temporarily unavailable to agent "noisy" because its calls failed repeatedly. Retry in 10 seconds.',
  );
  expect((await invoke("shared-ill", "ok", {}, { agentId: "quiet" })).status).toBe(200);
  expect((await invoke("shared-ill", "ok")).status).toBe(200);

  const usage = async (key?: string) =>
    (await get("/agents/tools/shared-ill/usage", key === undefined ? {} : { key })).body.data;
  expect(await usage()).toMatchObject({
    breaker: { state: "closed" },
    agentBreakers: [{ agentId: "noisy", state: "open" }],
  });
  const quiet = await keyWith(["tools:read"], { agentId: "quiet" });
  expect(await usage(quiet)).not.toHaveProperty("agentBreakers");

  passTime(10_000);
  expect((await usage()).agentBreakers).toEqual([{ agentId: "noisy", state: "half-open" }]);
  expect((await invoke("shared-ill", "ok", {}, noisy)).status).toBe(200);
  expect(await usage()).not.toHaveProperty("agentBreakers");
});

it.each(["400", "404", "409", "422"])(
  "an agent whose calls the system rejects with %s does not have to wait",
  async (code) => {
    const id = `rejects-${code}`;
    await registerHttpTool("hostile", id, [STATUS, OK]);
    await grant(id, "careless");
    const careless = { agentId: "careless" };
    await times(8, () => invoke(id, "status", { code }, careless));
    expect((await invoke(id, "ok", {}, careless)).status).toBe(200);
  },
);

it("an agent cannot use up a tool's limit for other agents that were granted the tool", async () => {
  const rateLimit = { requests: 10, period: "hour" };
  await registerHttpTool("hostile", "limited", [OK], { rateLimit });
  await grant("limited", "busy");
  const busy = () => invoke("limited", "ok", {}, { agentId: "busy" });
  const alone = await times(10, busy);
  expect(alone.map(({ status }) => status)).toEqual(alone.map(() => 200));

  passTime(3_600_000);
  await grant("limited", "late");
  const shared = await times(10, busy);
  expect(shared.map(({ status }) => status)).toEqual([...alone.slice(2).map(() => 200), 429, 429]);
  const [rejected] = shared.slice(-1);
  expect(rejected?.headers.get("RateLimit")).toBe('"tool";r=2;t=3600');
  expect(rejected?.body.error.message).toBe(
    'Agent "busy" has used its share of the 10 calls that tool "limited" allows per 3600 seconds. The remaining 2 are reserved for other agents. Retry in 3600 seconds.',
  );
  const late = await times(2, () => invoke("limited", "ok", {}, { agentId: "late" }));
  expect(late.map(({ status }) => status)).toEqual([200, 429]);
  expect((await times(2, () => invoke("limited", "ok"))).map(({ status }) => status)).toEqual([
    200, 429,
  ]);
});
