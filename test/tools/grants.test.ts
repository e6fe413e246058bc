import { env } from "cloudflare:workers";
import { SQLiteSyncDialect } from "drizzle-orm/sqlite-core";
import { beforeAll, describe, expect, it } from "vitest";
import { ID_CHARACTERS_MAX } from "../../src/kernel/limits.ts";
import { GRANT_AGENTS_MAX } from "../../src/tools/limits.ts";
import { selectGrantsSql, type GrantFilter } from "../../src/tools/grants/grants.store.ts";
import { foreignTool, registerTools } from "../support/catalogue.ts";
import { del, get, patch, post } from "../support/client.ts";
import { expectError, expectProblems } from "../support/expect-errors.ts";
import { keyWith } from "../support/keys.ts";

const AGENTS = ["mate-a", "mate-b", "mate-c"];
const TOOLS = ["sail-1", "sail-2"];

interface ListedGrant {
  readonly agentId: string;
  readonly toolId: string;
}

beforeAll(async () => {
  await registerTools(...TOOLS.map((id) => foreignTool(id, { name: `Sail ${id}` })));
  for (const agentId of AGENTS) for (const toolId of TOOLS) await grant({ agentId, toolId });
});

async function grant(body: { agentId: string; toolId: string; capabilities?: string[] }) {
  const answer = await post("/agents/tools/access", body);
  if (answer.status >= 300) throw new Error(answer.text);
  return answer.body.data;
}

type Query = Readonly<Record<string, string | readonly string[]>>;

function path(query: Query): string {
  const entries = Object.entries(query).flatMap(([name, value]) =>
    [value].flat().map((one) => [name, one]),
  );
  return `/agents/access?${new URLSearchParams(entries).toString()}`;
}

/** Reads all grants that match, page by page. */
async function list(query: Query, key?: string): Promise<ListedGrant[]> {
  const grants: ListedGrant[] = [];
  for (let cursor: string | null = ""; cursor !== null;) {
    const at: Record<string, string> = cursor === "" ? {} : { cursor };
    const answer = await get(
      path({ limit: "2", ...query, ...at }),
      key === undefined ? {} : { key },
    );
    expect(answer.status, answer.text).toBe(200);
    grants.push(...answer.body.data.grants);
    cursor = answer.body.data.nextCursor;
  }
  return grants;
}

const pairsOf = (grants: readonly ListedGrant[]) =>
  grants.map(({ agentId, toolId }) => `${agentId} ${toolId}`);

describe("the list of all grants", () => {
  it("each page continues at the cursor, and the pages contain each grant once, by agent and then tool", async () => {
    const all = pairsOf(await list({}));
    expect(all).toEqual([...new Set(all)].toSorted());
    expect(all.filter((pair) => pair.startsWith("mate-"))).toEqual(
      AGENTS.flatMap((agentId) => TOOLS.map((toolId) => `${agentId} ${toolId}`)),
    );
  });

  it("a grant shows its names, and its capabilities unless it covers all", async () => {
    await grant({ agentId: "reader", toolId: "json-workbench", capabilities: ["query"] });
    const [limited] = await list({ agentId: "reader" });
    expect(limited).toEqual({
      agentId: "reader",
      agentName: "reader",
      toolId: "json-workbench",
      toolName: "JSON workbench",
      proficiency: "intermediate",
      allCapabilities: false,
      capabilities: ["query"],
      grantedAt: expect.any(String),
    });
    const [whole] = await list({ agentId: "mate-a", toolId: "sail-1" });
    expect(whole).toMatchObject({ allCapabilities: true, toolName: "Sail sail-1" });
    expect(whole).not.toHaveProperty("capabilities");
  });

  it("the filters can be combined, and unknown ids match nothing", async () => {
    expect(pairsOf(await list({ toolId: "sail-2" }))).toEqual(AGENTS.map((id) => `${id} sail-2`));
    expect(pairsOf(await list({ agentId: "mate-b" }))).toEqual(TOOLS.map((id) => `mate-b ${id}`));
    expect(pairsOf(await list({ agentId: "mate-b", toolId: "sail-1" }))).toEqual(["mate-b sail-1"]);
    expect(pairsOf(await list({ agentId: ["mate-c", "nobody", "mate-a", "mate-c"] }))).toEqual(
      ["mate-a", "mate-c"].flatMap((id) => TOOLS.map((toolId) => `${id} ${toolId}`)),
    );
    expect(
      pairsOf(await list({ agentId: ["mate-c", "mate-a"], toolId: "sail-1", limit: "1" })),
    ).toEqual(["mate-a sail-1", "mate-c sail-1"]);
    expect(await list({ agentId: "nobody" })).toEqual([]);
    expect(await list({ toolId: "nothing" })).toEqual([]);
  });

  it("the capability filter finds the grants that cover it, whether or not they list it", async () => {
    const toolId = "format-bridge";
    await grant({ agentId: "filter-all", toolId });
    await grant({ agentId: "filter-some", toolId, capabilities: ["convert"] });
    const covering = async (capability: string) =>
      (await list({ toolId, capability })).map(({ agentId }) => agentId);
    expect(await covering("convert")).toEqual(
      expect.arrayContaining(["filter-all", "filter-some"]),
    );
    const other = await covering("detect");
    expect(other).toContain("filter-all");
    expect(other).not.toContain("filter-some");
    expect(await covering("nothing")).toEqual([]);
  });

  it("a bound key sees only the grants of its own agents", async () => {
    const key = await keyWith(["tools:read"], { agentId: "mate-b" });
    expect(pairsOf(await list({}, key))).toEqual(TOOLS.map((id) => `mate-b ${id}`));
    expect(await list({ agentId: "mate-a" }, key)).toEqual([]);
    expect(pairsOf(await list({ agentId: ["mate-a", "mate-b"] }, key))).toEqual(
      TOOLS.map((id) => `mate-b ${id}`),
    );
    const team = await post("/agents/keys", { name: "x", scopes: ["tasks:read"] });
    expectError(
      await get("/agents/access", { key: team.body.data.key }),
      403,
      "INSUFFICIENT_SCOPE",
    );
  });

  it("a revoked grant is no longer listed, nor are the grants of a retired tool", async () => {
    await registerTools(foreignTool("sail-3"));
    await grant({ agentId: "leaver", toolId: "sail-3" });
    await grant({ agentId: "leaver", toolId: "sail-1" });
    await del("/agents/tools/access/leaver/sail-1");
    expect(pairsOf(await list({ agentId: "leaver" }))).toEqual(["leaver sail-3"]);
    await env.DB.prepare("DELETE FROM tools WHERE id = 'sail-3'").run();
    expect(await list({ agentId: "leaver" })).toEqual([]);
  });

  it("an invalid query is rejected, and so is a cursor from a list with other filters", async () => {
    const { nextCursor } = (await get("/agents/access?limit=1")).body.data;
    expectProblems(await get(path({ cursor: nextCursor, agentId: "mate-a" })), {
      cursor: /^must be a nextCursor/,
    });
    expectProblems(await get(path({ cursor: "x" })), { cursor: /^must be a nextCursor/ });
    expectProblems(await get(path({ capability: "query" })), { capability: "requires toolId" });
    expectProblems(await get(path({ limit: "101" })), { limit: /100/ });
    const many = Array.from({ length: GRANT_AGENTS_MAX + 1 }, (_, index) => `mate-${index}`);
    expectProblems(await get(path({ agentId: many })), { agentId: /at most 100 times, got 101/ });
    expect((await get(path({ agentId: many.slice(1) }))).status).toBe(200);
    for (const [id, problem] of [
      ["", /must not be empty/],
      ["x".repeat(ID_CHARACTERS_MAX + 1), /at most 128 characters/],
    ] as const)
      expectProblems(await get(path({ agentId: ["mate-a", id] })), { agentId: problem });
  });

  const NONE = { agentIds: null, toolId: null, capability: null };
  it.each<[string, Partial<GrantFilter>, RegExp]>([
    ["no filter", {}, /SEARCH g USING PRIMARY KEY/],
    ["an agent", { agentIds: ["a"] }, /SEARCH g USING PRIMARY KEY \(agent_id=\?/],
    ["several agents", { agentIds: ["a", "b"] }, /SEARCH g USING PRIMARY KEY \(agent_id=\?/],
    [
      "a tool",
      { toolId: "t" },
      /SEARCH g USING (?:COVERING )?INDEX grants_tool \(tool_id=\? AND agent_id>/,
    ],
    [
      "a capability",
      { toolId: "t", capability: "c" },
      /SEARCH g USING (?:COVERING )?INDEX grants_tool/,
    ],
  ])("a later page with %s is read in index order, without sorting", async (_, filter, index) => {
    const after = { agentId: "mate-a", toolId: "sail-1" };
    const query = selectGrantsSql({ ...NONE, ...filter }, after, 10);
    const { sql, params } = new SQLiteSyncDialect().sqlToQuery(query);
    const plan = await env.DB.prepare(`EXPLAIN QUERY PLAN ${sql}`)
      .bind(...params)
      .all<{ id: number; parent: number; detail: string }>();
    const outer = plan.results.filter(({ parent }) => parent === 0).map(({ detail }) => detail);
    expect(outer[0]).toMatch(index);
    expect(outer.join("\n")).not.toContain("TEMP B-TREE");
  });
});

describe("the explanation of a decision", () => {
  const explain = (query: Record<string, string>, key?: string) =>
    get(
      `/agents/access/explain?${new URLSearchParams(query).toString()}`,
      key === undefined ? {} : { key },
    );
  const call = { agentId: "asker", toolId: "json-workbench", capability: "query" };

  it("the explanation states the same code and message as the error of a call", async () => {
    await post("/agents", { id: "asker", executor: { type: "builtin" } });
    const invoke = () =>
      post("/agents/tools/json-workbench/invoke", {
        agentId: "asker",
        capability: "query",
        parameters: { data: { a: 1 }, path: "$.a" },
      });
    const denied = async (code: string) => {
      const called = await invoke();
      expectError(called, 403, code);
      const { data } = (await explain(call)).body;
      expect(data).toMatchObject({
        allowed: false,
        reason: { code, message: called.body.error.message },
      });
      return data.grant;
    };
    expect(await denied("TOOL_ACCESS_DENIED")).toBeNull();
    await grant({ agentId: "asker", toolId: "json-workbench", capabilities: ["diff"] });
    expect(await denied("CAPABILITY_NOT_GRANTED")).toMatchObject({ capabilities: ["diff"] });
    await patch("/agents/asker", { enabled: false });
    await denied("AGENT_DISABLED");
  });

  it("the explanation of an allowed call names the grant that allows it", async () => {
    const asked = { ...call, agentId: "allowed" };
    await grant({ agentId: "allowed", toolId: "json-workbench", capabilities: ["query"] });
    expect((await explain(asked)).body.data).toMatchObject({
      allowed: true,
      reason: { code: "CAPABILITY_GRANTED", message: expect.stringContaining("query") },
      grant: { agentId: "allowed", capabilities: ["query"] },
    });
    await grant({ agentId: "allowed", toolId: "json-workbench" });
    expect((await explain(asked)).body.data).toMatchObject({
      allowed: true,
      reason: { code: "ALL_CAPABILITIES_GRANTED" },
      grant: { allCapabilities: true },
    });
  });

  it("the explanation is neither counted nor charged", async () => {
    const usage = () => get("/agents/tools/json-workbench/usage");
    const before = (await usage()).body.data;
    await grant({ agentId: "uncounted", toolId: "json-workbench" });
    await explain({ ...call, agentId: "uncounted" });
    expect((await usage()).body.data).toEqual(before);
  });

  it("an unknown agent, tool or capability gets 404, and a missing parameter 400", async () => {
    await grant({ agentId: "known", toolId: "json-workbench" });
    const known = { ...call, agentId: "known" };
    expectError(await explain({ ...known, agentId: "nobody" }), 404, "AGENT_NOT_FOUND");
    expectError(await explain({ ...known, toolId: "nothing" }), 404, "TOOL_NOT_FOUND");
    expectError(await explain({ ...known, capability: "nothing" }), 404, "CAPABILITY_NOT_FOUND");
    const { capability: _, ...incomplete } = known;
    expectProblems(await explain(incomplete), { capability: "" });
  });

  it("a bound key gets explanations only for its own agents, and only for tools that it may see", async () => {
    await grant({ agentId: "owner", toolId: "json-workbench" });
    await grant({ agentId: "stranger", toolId: "json-workbench" });
    const key = await keyWith(["tools:read"], { agentId: "owner" });
    expect((await explain({ ...call, agentId: "owner" }, key)).body.data.allowed).toBe(true);
    expectError(await explain({ ...call, agentId: "stranger" }, key), 404, "AGENT_NOT_FOUND");
    const hidden = { agentId: "owner", toolId: "text-analyst", capability: "tokenize" };
    expectError(await explain(hidden, key), 404, "TOOL_NOT_FOUND");
  });
});
