import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { jsonWorkbench } from "../../../src/builtin/tools/json-workbench/definition.ts";
import { registerTools } from "../../support/catalogue.ts";
import { formatToolName } from "../../../src/interfaces/mcp/tool-names.ts";
import { startCounting } from "../../performance/counters.ts";
import { del, get, post, ROOT } from "../../support/client.ts";
import { keyWith } from "../../support/keys.ts";
import { read, stopClock } from "../../support/tasks.ts";
import { heldTask } from "../../tasks/workers/fixtures.ts";
import { callTool, connect, dataOf, listToolNames, REVISIONS } from "./client.ts";

beforeAll(stopClock);

const QUERY = "json-workbench__query";
const GOOD = { document: '{"a": [5, 6]}', path: "$.a[1]" };
/** An address that the guard accepts. No request is sent to it. */
const PUBLIC = "https://93.184.216.34";

let agents = 0;

/**
 * A new agent that has been granted these capabilities of the JSON workbench, and a key bound to
 * it.
 */
async function agentFor(capabilities = ["query"]): Promise<{ agentId: string; key: string }> {
  agents += 1;
  const agentId = `caller-${agents}`;
  await post("/agents/tools/access", { agentId, toolId: "json-workbench", capabilities });
  return { agentId, key: await keyWith(["tools:invoke", "tasks:work"], { agentId }) };
}

/**
 * Ids of two capabilities of `twin.tool` whose shortened form and hash are the same. They were
 * found by brute force.
 */
const TWINS = ["2rnw", "jpba"].map((end) => `${"x".repeat(60)}${end}`);

const usage = async () => (await get("/agents/tools/json-workbench/usage")).body.data;

describe.each(REVISIONS)("a tool call by revision %s", (revision) => {
  it("a call returns the same result as REST, as data and as text, and counts as the agent's call", async () => {
    const { agentId, key } = await agentFor();
    const client = await connect(key, revision);
    const before = (await usage()).total.calls;
    const result = await callTool(client, QUERY, GOOD);
    const rest = await post(
      "/agents/tools/json-workbench/invoke",
      { capability: "query", parameters: GOOD },
      { key },
    );
    expect(result.isError).toBeUndefined();
    expect(dataOf(result)).toEqual(rest.body.data.result);
    expect(result.content).toEqual([{ type: "text", text: JSON.stringify(rest.body.data.result) }]);
    expect(result._meta?.["bosun/usage"]).toMatchObject({
      toolId: "json-workbench",
      capability: "query",
      cost: 0,
    });
    const after = await usage();
    expect(after.total.calls).toBe(before + 2);
    expect(after.recentCalls[0]).toMatchObject({ agentId, capability: "query" });
  });

  it("the error for invalid arguments says what to change, by argument name", async () => {
    const client = await connect((await agentFor()).key, revision);
    const result = await callTool(client, QUERY, { path: 7, other: 1 });
    expect(result.isError).toBe(true);
    expect(result.structuredContent).toMatchObject({
      error: {
        code: "VALIDATION_ERROR",
        retryable: false,
        details: [
          { path: "document", message: "is required: a string" },
          { path: "path", message: "must be a string, got 7" },
          { path: "other", message: expect.stringContaining("is not a parameter of query") },
        ],
      },
    });
    const [block] = result.content;
    expect(block).toMatchObject({
      text: expect.stringMatching(/^VALIDATION_ERROR: document is required.*\npath must be/),
    });
  });

  it.each([
    ["of a capability that is not granted", "json-workbench__diff"],
    ["of a tool that is not granted", "text-analyst__keywords"],
    ["of an unknown tool", "sextant__aim"],
    ["of an unknown capability", "json-workbench__brew"],
    ["without a capability", "create-task"],
    ["with a wrong hash", "json-workbench__query_0123abcd"],
    ["that is empty", ""],
    ["of 5,000 characters", "a".repeat(5_000)],
    ["of a task tool whose scope is missing", "create_task"],
  ])("a call to a name %s gets the protocol error for an unknown tool", async (_, name) => {
    const client = await connect((await agentFor()).key, revision);
    const before = (await usage()).total.calls;
    const failing = callTool(client, name, GOOD);
    await expect(failing).rejects.toMatchObject({ code: -32_602 });
    await expect(failing).rejects.toThrow(/Unknown tool: ".*[^ ]/);
    expect((await usage()).total.calls).toBe(before);
  });

  it("a call is rejected as soon as its grant is narrowed or revoked", async () => {
    const { agentId, key } = await agentFor(["query", "diff"]);
    const client = await connect(key, revision);
    expect(dataOf(await callTool(client, QUERY, GOOD))).toBeDefined();
    const narrower = { agentId, toolId: "json-workbench", capabilities: ["diff"] };
    await post("/agents/tools/access", narrower);
    await expect(callTool(client, QUERY, GOOD)).rejects.toThrow("Unknown tool");
    await del(`/agents/tools/access/${agentId}/json-workbench`);
    await expect(callTool(client, QUERY, GOOD)).rejects.toThrow("Unknown tool");
  });

  it("the error for a call above the tool's rate limit states when to retry", async () => {
    await registerTools({ ...jsonWorkbench, rateLimit: { requests: 1, period: "hour" } });
    try {
      const client = await connect(ROOT, revision);
      await callTool(client, QUERY, GOOD);
      const refused = await callTool(client, QUERY, GOOD);
      expect(refused.isError).toBe(true);
      expect(refused.structuredContent).toMatchObject({
        error: { code: "RATE_LIMIT_EXCEEDED", retryable: true, retryAfterSeconds: 3_600 },
      });
    } finally {
      await registerTools(jsonWorkbench);
    }
  });

  it("a call whose result is too large returns a link to the full result", async () => {
    const client = await connect(ROOT, revision);
    const document = JSON.stringify({ text: "x".repeat(200_000) });
    const answered = dataOf(await callTool(client, QUERY, { document, path: "$.text" }));
    expect(answered).toMatchObject({ oversized: true, downloadUrl: expect.any(String) });
    const { pathname, search } = new URL(answered.downloadUrl);
    const file = await get(`${pathname}${search}`, { key: null });
    expect(file.text).toHaveLength(answered.size);
  });

  it("a call by a rewritten name reaches its capability", async () => {
    const toolId = `odd.${revision}`;
    const made = await post("/agents/tools", {
      id: toolId,
      name: "Odd",
      connector: { type: "http", baseUrl: PUBLIC },
      capabilities: ["a.b", "a_b", "a__b", "x".repeat(100)].map((id) => ({
        id,
        parameters: [{ name: "must", type: "string", required: true }],
        request: { method: "GET", path: "/{must}" },
      })),
    });
    expect(made.status, made.text).toBe(201);
    const { agentId, key } = await agentFor();
    await post("/agents/tools/access", { agentId, toolId });
    const client = await connect(key, revision);
    const names = (await listToolNames(client)).filter((name) => name.startsWith("odd_"));
    expect(new Set(names).size).toBe(4);
    for (const name of names) {
      // The empty call reaches the capability's parameter check, and is not executed.
      const result = await callTool(client, name, {});
      expect(result.structuredContent).toMatchObject({ error: { code: "VALIDATION_ERROR" } });
    }
  });

  it("a call with a malformed name does not query the catalogue", async () => {
    const { key } = await agentFor();
    for (const who of [key, ROOT]) {
      const client = await connect(who, revision);
      const counters = await startCounting();
      onTestFinished(() => counters.stop());
      for (const name of ["_", "", "a", "json", "_x_0123abcd", "create-task"]) {
        await expect(callTool(client, name, {})).rejects.toThrow("Unknown tool");
      }
      expect(counters.queries()).toEqual([]);
    }
  });

  it("a call under a task counts toward its budget, and blocks the task when the budget is exhausted", async () => {
    const { agentId, id } = await heldTask({ budget: { maxToolCalls: 1 } });
    await post("/agents/tools/access", { agentId, toolId: "json-workbench" });
    const key = await keyWith(["tools:invoke", "tasks:work"], { agentId });
    const client = await connect(key, revision, { path: `/mcp?taskId=${id}` });
    expect(dataOf(await callTool(client, QUERY, GOOD))).toBeDefined();
    const refused = await callTool(client, QUERY, GOOD);
    expect(refused.structuredContent).toMatchObject({ error: { code: "BUDGET_EXCEEDED" } });
    expect(await read(id)).toMatchObject({ status: "blocked", spend: { toolCalls: 1 } });
  });
});

describe("the agent of a call", () => {
  const called = async () => (await usage()).recentCalls[0];

  it("a call with an unbound key has no agent, as in REST", async () => {
    await callTool(await connect(ROOT, "2026-07-28"), QUERY, GOOD);
    expect(await called()).not.toHaveProperty("agentId", expect.any(String));
  });

  it("a call with an agent in the URL counts as a call of this agent and needs its grants", async () => {
    const { agentId } = await agentFor();
    const client = await connect(ROOT, "2025-11-25", { path: `/mcp?agentId=${agentId}` });
    await callTool(client, QUERY, GOOD);
    expect(await called()).toMatchObject({ agentId });
    await expect(callTool(client, "json-workbench__diff", {})).rejects.toThrow("Unknown tool");
  });

  it("a call with a team's key must name the agent in the URL", async () => {
    const key = await keyWith(["tools:invoke"], { teamId: "insights" });
    const client = await connect(key, "2025-11-25");
    await expect(callTool(client, QUERY, GOOD)).rejects.toThrow("?agentId=<id>");
  });
});

describe("a name that two capabilities share", () => {
  it("a name that two capabilities share calls neither, unless only one of them is granted", async () => {
    const toolId = "twin.tool";
    const [name = "", ...more] = new Set(TWINS.map((id) => formatToolName({ toolId, id })));
    expect(more).toEqual([]);
    const made = await post("/agents/tools", {
      id: toolId,
      name: "Twin",
      connector: { type: "http", baseUrl: PUBLIC },
      capabilities: TWINS.map((id) => ({
        id,
        parameters: [{ name: "must", type: "string", required: true }],
        request: { method: "GET", path: "/{must}" },
      })),
    });
    expect(made.status, made.text).toBe(201);
    const { agentId, key } = await agentFor();
    const client = await connect(key, "2025-11-25");
    await post("/agents/tools/access", { agentId, toolId });
    await expect(callTool(client, name, {})).rejects.toThrow("Unknown tool");
    await post("/agents/tools/access", { agentId, toolId, capabilities: TWINS.slice(1) });
    expect((await callTool(client, name, {})).isError).toBe(true);
  });
});
