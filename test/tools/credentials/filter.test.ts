import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { foreignTool, registerTools } from "../../support/catalogue.ts";
import { del, get } from "../../support/client.ts";
import { expectError, expectProblems } from "../../support/expect-errors.ts";
import { keyWith } from "../../support/keys.ts";
import { API_KEY, HTTP, MACHINE, PERSON, put, REFRESHING, tool } from "./fixtures.ts";

beforeAll(async () => {
  await registerTools(foreignTool("open"));
  for (const id of ["empty", "keyed", "machine", "refreshing", "person", "foreign"])
    await tool(id, HTTP);
  await put(API_KEY, "keyed");
  await put(MACHINE, "machine");
  await put(REFRESHING, "refreshing");
  await put(PERSON, "person");
  await put(REFRESHING, "foreign");
  // A credential that was sealed for another tool cannot be unsealed.
  await env.DB.prepare(
    "UPDATE credentials SET sealed = (SELECT sealed FROM credentials WHERE tool_id = 'refreshing') WHERE tool_id = 'foreign'",
  ).run();
});

async function list(query: string): Promise<{ ids: string[]; total: number }> {
  const { status, body } = await get(`/agents/tools?${query}`);
  expect(status).toBe(200);
  const { tools, total } = body.data;
  return { ids: tools.map(({ id }: { id: string }) => id), total };
}

describe("the credentials filter of the tool list", () => {
  it("the filter missing selects the tools that need credentials and have none", async () => {
    expect(await list("credentials=missing")).toEqual({ ids: ["empty"], total: 1 });
    await del("/agents/tools/machine/credentials");
    expect(await list("credentials=missing")).toEqual({ ids: ["empty", "machine"], total: 2 });
    expect(await list("credentials=missing&limit=1")).toEqual({ ids: ["empty"], total: 2 });
    await put(MACHINE, "machine");
    expect(await list("credentials=missing")).toEqual({ ids: ["empty"], total: 1 });
  });

  it("the filter unconnected selects the tools whose grant is missing or cannot be unsealed", async () => {
    const warn = vi.spyOn(console, "warn").mockImplementation(() => {});
    onTestFinished(() => warn.mockRestore());
    const expected = { ids: ["person", "foreign"], total: 2 };
    expect(await list("credentials=unconnected")).toEqual(expected);
    expect(await list("credentials=unconnected&limit=1&offset=1")).toEqual({
      ids: ["foreign"],
      total: 2,
    });
    // A list does not log each credential that cannot be unsealed.
    expect(warn.mock.calls.map(([entry]) => entry.event)).not.toContain(
      "credential_decrypt_failed",
    );
  });

  it("the credentials filter can be combined with a search and a category", async () => {
    expect((await list("credentials=unconnected&search=person")).ids).toEqual(["person"]);
    expect((await list("credentials=missing&search=person")).ids).toEqual([]);
    expect((await list("credentials=missing&category=creative")).ids).toEqual([]);
  });

  it("the credentials filter requires a key with tools:manage and a known value", async () => {
    const key = await keyWith(["tools:read"]);
    for (const value of ["missing", "unconnected"]) {
      const answer = await get(`/agents/tools?credentials=${value}`, { key });
      expectError(answer, 403, "INSUFFICIENT_SCOPE");
    }
    expectProblems(await get("/agents/tools?credentials=none"), {
      credentials: /must be one of missing, unconnected/,
    });
  });
});
