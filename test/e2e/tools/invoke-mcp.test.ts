import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../src/kernel/json.ts";
import { get, post, type Answer } from "../../support/client.ts";
import { keyId, keyWith } from "../../support/keys.ts";
import { invoke, originOf } from "../../support/server-tools.ts";
import { expectProblems, expectError } from "../../support/expect-errors.ts";

function importing(id: string, url: string, others: JsonObject = {}): Promise<Answer> {
  return post("/agents/tools/import", { id, mcp: { url }, ...others });
}

const everything = () => `${originOf("everything")}/mcp`;

describe("an MCP server as a tool", () => {
  it("an MCP server is imported, granted and called through the same route as every tool", async () => {
    const imported = await importing("everything", everything(), {
      pricing: { free: 0, overage: 0.5 },
    });
    expect(imported.status, imported.text).toBe(201);
    expect(imported.body.data.changes.added).toContain("get-sum");
    expect(imported.body.data.tool.connector).toMatchObject({ type: "mcp", url: everything() });

    const sum = { a: 19, b: 23 };
    const denied = await invoke("everything", "get-sum", sum, { agentId: "researcher" });
    expectError(denied, 403, "TOOL_ACCESS_DENIED");
    const grant = { agentId: "researcher", toolId: "everything", capabilities: ["get-sum"] };
    await post("/agents/tools/access", grant);
    const called = await invoke("everything", "get-sum", sum, { agentId: "researcher" });
    expect(called.body.data).toMatchObject({
      result: { content: [{ type: "text", text: "The sum of 19 and 23 is 42." }] },
      usage: { toolId: "everything", capability: "get-sum", cost: 0.5 },
    });
    const echo = await invoke("everything", "echo", { message: "x" }, { agentId: "researcher" });
    expectError(echo, 403, "CAPABILITY_NOT_GRANTED");
  });

  it("a tool that is imported again with a new credential belongs to the importing key, unless it is the root key", async () => {
    const scopes = ["tools:read", "tools:manage"] as const;
    const [owner, other] = [await keyWith(scopes), await keyWith(scopes)];
    const importedBy = async (value: string, options: { key?: string } = {}) => {
      const credentials = { type: "api-key", value };
      const body = { id: "owned", mcp: { url: everything() }, credentials };
      const imported = await post("/agents/tools/import", body, options);
      expect(imported.body.success, imported.text).toBe(true);
      const stored = await get("/agents/tools/owned");
      return [imported.body.data.tool.createdBy, stored.body.data.createdBy];
    };
    expect(await importedBy("first", { key: owner })).toEqual([keyId(owner), keyId(owner)]);
    expect(await importedBy("second")).toEqual([keyId(owner), keyId(owner)]);
    expect(await importedBy("third", { key: other })).toEqual([keyId(other), keyId(other)]);
  });

  it("a call keeps structured results, and invalid parameters are rejected before anything is sent", async () => {
    const weather = await invoke("everything", "get-structured-content", { location: "Chicago" });
    expect(weather.body.data.result.structuredContent).toMatchObject({
      temperature: expect.any(Number),
      conditions: expect.any(String),
    });
    const wrong = await invoke("everything", "get-sum", { a: "19" });
    expectProblems(wrong, { "parameters.a": "must be a number", "parameters.b": "is required" });
    const usage = (await get("/agents/tools/everything/usage")).body.data;
    expect(usage.total).toMatchObject({ calls: 2, failed: 0, cost: 1 });
  });

  it("a tool is imported in part from an MCP server and extended by a second import", async () => {
    const part = await importing("part", everything(), { only: { names: ["echo"] } });
    expect(part.body.data.tool.totalCapabilities).toBe(1);
    const more = await importing("part", everything(), { only: { names: ["echo", "get-sum"] } });
    expect(more.body.data.changes).toMatchObject({ added: ["get-sum"], removed: [], unchanged: 1 });
    expect(more.body.data.tool.version).toBe(2);
    expectProblems(await importing("part", everything(), { only: { tags: ["a"] } }), {
      "only.tags": "select tools by name",
    });
  });
});
