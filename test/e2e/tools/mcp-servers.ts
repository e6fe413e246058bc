import { env } from "cloudflare:workers";
import { inject } from "vitest";
import type { RequestAuthorization, McpConnector } from "../../../src/tools/model/connector.ts";
import type { JsonObject } from "../../../src/kernel/json.ts";
import type { Result } from "../../../src/kernel/result.ts";
import { createEgress } from "../../../src/platform/egress/egress.ts";
import type { ConnectorFailure, CallOutcome } from "../../../src/tools/connectors/contract.ts";
import { callRemoteMcpTool } from "../../../src/tools/connectors/mcp/call-tool.ts";
import type { ToolDraft } from "../../../src/tools/import/tool-draft.ts";
import { type McpImportSource, readMcpServer } from "../../../src/tools/import/mcp/read-server.ts";

export const EVERYTHING = `${inject("outside")["everything"]}/mcp`;
const HOSTILE = inject("outside")["hostile-mcp"];

/** Returns the URL of a server that misbehaves as its path says. */
export function hostile(path: string): string {
  return `${HOSTILE}/${path}`;
}

/** Like `hostile`, but for a single test, which can read the requests that the server received. */
export function visited(path: string): { url: string; seen: () => Promise<string[]> } {
  const visit = crypto.randomUUID();
  return {
    url: `${hostile(path)}?visit=${visit}`,
    /**
     * Returns, for each request in order, its JSON-RPC method, `answer` for a JSON-RPC response, or
     * the HTTP method if the request has no body.
     */
    seen: async () => (await fetch(`${HOSTILE}/seen/${visit}`)).json(),
  };
}

interface CallOptions {
  readonly parameters?: JsonObject;
  readonly timeoutMs?: number;
  readonly headers?: Record<string, string>;
  readonly authorization?: RequestAuthorization | null;
}

/** Makes one call through the connector. */
export function call(
  url: string,
  tool: string,
  { parameters = {}, timeoutMs = 5_000, headers = {}, authorization = null }: CallOptions = {},
): Promise<CallOutcome> {
  const connector: McpConnector = { type: "mcp", url, headers, timeoutMs, credential: null };
  const outside = { toolId: "remote", capability: tool, parameters, authorization };
  return callRemoteMcpTool(createEgress(env), connector, tool, outside);
}

/** Runs one import, as the route does. */
export function read(
  url: string,
  options: Partial<Omit<McpImportSource, "url">> = {},
): Promise<Result<ToolDraft, ConnectorFailure>> {
  return readMcpServer(createEgress(env), {
    url,
    headers: {},
    authorization: null,
    selection: {},
    onProgress: async () => {},
    ...options,
  });
}

/** Returns the failure of a call or import that must fail. */
export function expectFailure(outcome: Result<unknown, ConnectorFailure>): ConnectorFailure {
  if (outcome.ok)
    throw new Error(`Expected a failure, got ${JSON.stringify(outcome.value).slice(0, 500)}`);
  return outcome.failure;
}

/** Returns the value of a call or import that must succeed. */
export function expectValue<Value>(outcome: Result<Value, ConnectorFailure>): Value {
  if (!outcome.ok) throw new Error(`Expected success, got ${JSON.stringify(outcome.failure)}`);
  return outcome.value;
}
