import type { McpConnector, OutsideCall } from "../../domain/connector.ts";
import type { Egress } from "../../egress/contract.ts";
import type { CallOutcome } from "./contract.ts";

/**
 * Calls a tool of a remote MCP server over streamable HTTP, within `connector.timeoutMs`. The result
 * is `{content, structuredContent?}` as the server gave it. The SDK is loaded with the first call.
 */
export async function runMcp(
  egress: Egress,
  connector: McpConnector,
  tool: string,
  call: OutsideCall,
): Promise<CallOutcome> {
  const { callTool } = await import("./mcp/call.ts");
  return callTool(egress, connector, tool, call);
}
