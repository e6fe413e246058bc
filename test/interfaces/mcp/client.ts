import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import {
  Client,
  StreamableHTTPClientTransport,
  type CallToolResult,
  type Tool,
} from "@modelcontextprotocol/client";
import worker from "../../../src/index.ts";
import type { JsonObject } from "../../../src/kernel/json.ts";
import { ORIGIN, ROOT } from "../../support/client.ts";

/** The protocol revisions that the tests use with the official client. */
export const REVISIONS = ["2025-11-25", "2026-07-28"] as const;
export type Revision = (typeof REVISIONS)[number];

/** Connects the official client with a key. */
export async function connect(
  key: string,
  revision: Revision,
  { path = "/mcp", headers = {} }: { path?: string; headers?: Record<string, string> } = {},
): Promise<Client> {
  const client = new Client(
    { name: "test", version: "1" },
    {
      versionNegotiation: { mode: revision === "2026-07-28" ? { pin: revision } : "legacy" },
    },
  );
  const transport = new StreamableHTTPClientTransport(new URL(`${ORIGIN}${path}`), {
    requestInit: { headers: { Authorization: `Bearer ${key}`, ...headers } },
    fetch: async (input, init) =>
      worker.fetch(new Request(input, init), env, createExecutionContext()),
  });
  await client.connect(transport);
  return client;
}

/** Reads all pages of the tool list. */
export async function listAll(client: Client): Promise<Tool[]> {
  const tools: Tool[] = [];
  let cursor: string | undefined;
  do {
    const page = await client.listTools(cursor === undefined ? {} : { cursor });
    tools.push(...page.tools);
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return tools;
}

/** The names of all tools, in the order of the list. */
export async function listToolNames(client: Client): Promise<string[]> {
  return (await listAll(client)).map(({ name }) => name);
}

export async function callTool(
  client: Client,
  name: string,
  given: Record<string, unknown> = {},
): Promise<CallToolResult> {
  return client.callTool({ name, arguments: given });
}

/**
 * The structured content of a successful result. Its type is `any`, because the test asserts its
 * shape.
 */
// oxlint-disable-next-line typescript/no-explicit-any -- a test asserts the shape it reads
export function dataOf(result: CallToolResult): any {
  if (result.isError === true) throw new Error(JSON.stringify(result.content));
  return result.structuredContent;
}

/** A raw request that calls a tool. `signal` can abort it. */
export function toolCallRequest(
  name: string,
  toolArguments: JsonObject,
  signal: AbortSignal,
): Request {
  return new Request(`${ORIGIN}/mcp`, {
    method: "POST",
    headers: { Authorization: `Bearer ${ROOT}`, "Content-Type": "application/json" },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name, arguments: toolArguments },
    }),
    signal,
  });
}
