import { expect } from "vitest";
import { ROOT, send, type Answer } from "../../support/client.ts";

export const META = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": { name: "t", version: "1" },
  "io.modelcontextprotocol/clientCapabilities": {},
};
/** The headers of a 2026-07-28 request, which repeat its version and method. */
export const MODERN = { "MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/list" };

export const legacy = (method: string, params: object = {}) =>
  JSON.stringify({ jsonrpc: "2.0", id: 7, method, params });
export const modern = (method: string, params: object = {}, meta: object = META) =>
  JSON.stringify({ jsonrpc: "2.0", id: 7, method, params: { ...params, _meta: meta } });
export const call = (name: unknown) => ({ name, arguments: {} });
export const LIST = legacy("tools/list");

export function ask(
  body: string,
  headers: Record<string, string> = {},
  path = "/mcp",
  key: string | null = ROOT,
): Promise<Answer> {
  return send("POST", path, body, { key, headers });
}

/** Asserts that a response is an error in JSON-RPC format. */
export function expectRpcError(
  answer: Answer,
  status: number,
  code: number,
  id: unknown = null,
): void {
  expect([answer.status, answer.body?.error?.code, answer.body?.id], answer.text).toEqual([
    status,
    code,
    id,
  ]);
  expect(Object.keys(answer.body).toSorted()).toEqual(["error", "id", "jsonrpc"]);
  expect(answer.body.error.message).toMatch(/\w/);
  expect(answer.headers.get("X-Request-Id")).toMatch(/./);
}
