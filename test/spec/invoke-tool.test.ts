import { beforeAll, describe, expect, it } from "vitest";
import type { JsonObject } from "../../src/kernel/json.ts";
import { post } from "../support/client.ts";

const invoke = (body: JsonObject, id = "json-workbench") =>
  post(`/agents/tools/${id}/invoke`, body);

const DIFF = {
  capability: "diff",
  parameters: { before: '{"a":1,"b":2}', after: '{"a":1,"b":3}' },
};

describe("Invoke tool", () => {
  it("an invocation calls the tool in the path", async () => {
    const csv = "height\n170\n180\n190\n";
    const table = await invoke({ capability: "profile", parameters: { csv } }, "table-analyst");
    expect(table.status).toBe(200);
    // 180 is the mean of 170, 180 and 190.
    expect(JSON.stringify(table.body.data.result)).toMatch(/"mean":180\b/);
  });

  it("invoking an unknown tool gets 404", async () => {
    const { status, body } = await invoke(DIFF, "sextant");
    expect([status, body.error.code]).toEqual([404, "TOOL_NOT_FOUND"]);
  });

  it("an invocation calls the capability that it names", async () => {
    const diff = await invoke(DIFF);
    const query = await invoke({
      capability: "query",
      parameters: { document: '{"a":[5,6]}', path: "$.a[1]" },
    });
    expect(diff.body.data.usage.capability).toBe("diff");
    expect(query.body.data.usage.capability).toBe("query");
    expect(query.body.data.result).not.toEqual(diff.body.data.result);
  });

  it("an invocation requires a capability", async () => {
    const { status, body } = await invoke({ parameters: DIFF.parameters });
    expect(status).toBe(400);
    expect(body.error.details).toEqual([{ path: "capability", message: "is required: a string" }]);
  });

  it("invoking an unknown capability is rejected", async () => {
    const { status, body } = await invoke({ ...DIFF, capability: "compile" });
    expect([status, body.error.code]).toEqual([404, "CAPABILITY_NOT_FOUND"]);
  });

  it("an invocation passes its parameters to the capability", async () => {
    const { result } = (await invoke(DIFF)).body.data;
    expect(JSON.stringify(result)).toContain('{"op":"replace","path":"/b","value":3}');
  });

  it("an invocation requires parameters", async () => {
    const { status, body } = await invoke({ capability: "diff" });
    expect(status).toBe(400);
    expect(body.error.details).toEqual([
      { path: "parameters", message: "is required and must be an object" },
    ]);
  });

  it("an invocation with invalid parameters gets one problem for each of them", async () => {
    const { status, body } = await invoke({ capability: "diff", parameters: { before: 1, x: 2 } });
    expect(status).toBe(400);
    expect(body.error.details.map(({ path }: { path: string }) => path).toSorted()).toEqual([
      "parameters.after",
      "parameters.before",
      "parameters.x",
    ]);
  });

  describe("agentId · the invoking agent, used for permissions", () => {
    beforeAll(async () => {
      const grant = { agentId: "clerk", toolId: "json-workbench", capabilities: ["query"] };
      await post("/agents/tools/access", grant);
    });

    it.each([
      ["granted the whole tool", "integrator", 200, undefined],
      ["granted another capability only", "clerk", 403, "CAPABILITY_NOT_GRANTED"],
      ["not granted the tool", "researcher", 403, "TOOL_ACCESS_DENIED"],
      ["unknown", "stranger", 404, "AGENT_NOT_FOUND"],
    ])("the permission of an invoking agent is checked: %s", async (_, agentId, expected, code) => {
      const { status, body } = await invoke({ ...DIFF, agentId });
      expect([status, body.error?.code]).toEqual([expected, code]);
    });

    it("an unbound key may invoke a tool without an agentId", async () => {
      expect((await invoke(DIFF)).status).toBe(200);
    });
  });

  it("an invocation returns the result of the capability", async () => {
    const { result } = (await invoke(DIFF)).body.data;
    expect(Object.getPrototypeOf(result)).toBe(Object.prototype);
    expect(Object.keys(result).length).toBeGreaterThan(0);
  });

  it("an invocation returns its usage", async () => {
    const { data } = (await invoke(DIFF)).body;
    expect(Object.keys(data).toSorted()).toEqual(["result", "usage"]);
    expect(data.usage).toEqual({
      toolId: "json-workbench",
      capability: "diff",
      cost: 0,
      duration: expect.stringMatching(/^\d+(ms|s)$/),
    });
  });
});
