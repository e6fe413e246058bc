import { describe, expect, it } from "vitest";
import { post } from "../../support/client.ts";

const META_CLIENT = { name: "t", version: "1" };
const META = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": META_CLIENT,
  "io.modelcontextprotocol/clientCapabilities": {},
};
const MODERN = { "MCP-Protocol-Version": "2026-07-28" };

const legacy = (method: string, params: object) =>
  JSON.stringify({ jsonrpc: "2.0", id: 7, method, params });
const modern = (method: string, params: object) => legacy(method, { ...params, _meta: META });
const ask = (body: string, headers: Record<string, string> = {}) => post("/mcp", body, { headers });

describe("invalid params", () => {
  it.each([
    ["tools/call", {}, "params.name is required: a string."],
    ["tools/call", { name: 7 }, "params.name must be a string, got 7."],
    ["tools/call", { name: "x", arguments: "y" }, 'params.arguments must be an object, got "y".'],
    ["tools/list", { cursor: 7 }, "params.cursor must be a string, got 7."],
    [
      "initialize",
      { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "t" } },
      "params.clientInfo.version is required: a string.",
    ],
    [
      "initialize",
      { protocolVersion: "2025-11-25", capabilities: { roots: 7 }, clientInfo: META_CLIENT },
      "params must match the MCP schema of initialize.",
    ],
    ["tools/call", { name: "x", task: 7 }, "params must match the MCP schema of tools/call."],
  ])("the error for %s with %j says what to change", async (method, params, message) => {
    const { body } = await ask(legacy(method, params));
    expect(body.error).toMatchObject({ code: -32_602, message });
  });

  it("invalid params are reported with their path in both protocol generations", async () => {
    const headers = { ...MODERN, "Mcp-Method": "tools/call" };
    for (const { body } of [
      await ask(legacy("tools/call", { name: 7 })),
      await ask(modern("tools/call", { name: 7 }), headers),
    ]) {
      expect(body.error.data).toEqual({
        code: "VALIDATION_ERROR",
        retryable: false,
        details: [{ path: "params.name", message: "must be a string, got 7" }],
      });
    }
  });
});
