import type { McpConnector, OutsideCall } from "../../../domain/connector.ts";
import {
  MCP_REQUESTS_MAX,
  TOOL_RESPONSE_BYTES_MAX,
  TOOL_TIMEOUT_MAX_MS,
} from "../../../domain/limits.ts";
import type { Egress } from "../../../egress/contract.ts";
import type { CallOutcome } from "../contract.ts";
import { redactionOf } from "../../../secrets/redact.ts";
import { outcomeOf } from "./outcome.ts";
import { serverOf } from "./server.ts";
import { inSession } from "./session.ts";

/** One call of one tool: connect, call, take leave. */
export async function callTool(
  egress: Egress,
  connector: McpConnector,
  tool: string,
  { parameters, authorisation }: OutsideCall,
): Promise<CallOutcome> {
  const server = serverOf({ ...connector, authorisation });
  if (!server.ok) return server;
  const bounds = {
    timeoutMs: Math.min(connector.timeoutMs, TOOL_TIMEOUT_MAX_MS),
    bytesMax: TOOL_RESPONSE_BYTES_MAX,
    requestsMax: MCP_REQUESTS_MAX,
  };
  const answer = await inSession(egress, server.value, bounds, (client, terms) =>
    client.callTool({ name: tool, arguments: parameters }, terms),
  );
  return answer.ok ? outcomeOf(answer.value, redactionOf(authorisation)) : answer;
}
