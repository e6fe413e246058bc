import type {
  CapabilityOperation,
  Connector,
  RemoteCall,
  RequestAuthorization,
} from "../model/connector.ts";
import type { UpstreamHealth } from "../model/tool-meter.ts";
import type { JsonObject } from "../../kernel/json.ts";
import { type Problem, fail, type Result } from "../../kernel/result.ts";
import { createEgress, type EgressEnv } from "../../platform/egress/egress.ts";
import type { CallOutcome, CapabilityHandlers, ConnectorFailure } from "./contract.ts";
import { callHttp } from "./http/call-http.ts";
import { isSafeMethod } from "../../platform/egress/retry.ts";

export interface ConnectorCall extends Omit<RemoteCall, "authorization"> {
  readonly connector: Connector;
  readonly operation: CapabilityOperation | null;
}

export async function dispatchCall(
  env: EgressEnv,
  { connector, operation, ...given }: ConnectorCall,
  authorization: RequestAuthorization | null,
): Promise<CallOutcome> {
  const call = { ...given, authorization };
  switch (connector.type) {
    case "builtin": {
      const outcome = await runBuiltin(call.toolId, call.capability, call.parameters);
      return outcome.ok ? outcome : fail({ kind: "parameters", problems: outcome.failure });
    }
    case "http":
      if (operation?.type !== "http")
        throw new Error("A capability of an HTTP tool must have a request");
      return callHttp(createEgress(env), connector, operation.request, call);
    case "mcp": {
      if (operation?.type !== "mcp")
        throw new Error("A capability of an MCP tool must name a remote tool");
      // Load the MCP SDK on the first call, because it is large.
      const { callRemoteMcpTool } = await import("./mcp/call-tool.ts");
      return callRemoteMcpTool(createEgress(env), connector, operation.tool, call);
    }
  }
}

/** The built-in tools. Each is loaded on its first call, so the Worker starts quickly. */
const TOOL_LOADERS: Readonly<Record<string, () => Promise<CapabilityHandlers>>> = {
  "json-workbench": async () =>
    (await import("../../builtin/tools/json-workbench/handlers.ts")).jsonWorkbenchHandlers,
  "table-analyst": async () =>
    (await import("../../builtin/tools/table-analyst/handlers.ts")).tableAnalystHandlers,
  "message-composer": async () =>
    (await import("../../builtin/tools/message-composer/handlers.ts")).messageComposerHandlers,
  "text-analyst": async () =>
    (await import("../../builtin/tools/text-analyst/handlers.ts")).textAnalystHandlers,
  "chart-maker": async () =>
    (await import("../../builtin/tools/chart-maker/handlers.ts")).chartMakerHandlers,
  "format-bridge": async () =>
    (await import("../../builtin/tools/format-bridge/handlers.ts")).formatBridgeHandlers,
};

/** Runs a built-in tool's capability. The path of each problem begins with a parameter name. */
export async function runBuiltin(
  toolId: string,
  capability: string,
  parameters: JsonObject,
): Promise<Result<JsonObject, Problem[]>> {
  const load = TOOL_LOADERS[toolId];
  const handlers = load === undefined ? undefined : await load();
  const handler = handlers?.[capability];
  if (handler === undefined)
    throw new Error(`No handler for the capability ${capability} of the built-in tool ${toolId}`);
  return handler(parameters);
}

/** Whether a call is safe to repeat. The effects of a remote MCP tool are unknown. */
export function isSafeCall({ connector, operation }: ConnectorCall): boolean {
  if (connector.type === "builtin") return true;
  return operation?.type === "http" && isSafeMethod(operation.request.method);
}

/** What a call's outcome shows about the health of the system behind the tool. */
export function upstreamHealthOf(
  work: ConnectorCall,
  failure: ConnectorFailure | null,
): UpstreamHealth {
  if (work.connector.type === "builtin") return "healthy";
  switch (failure?.kind) {
    case undefined:
    case "unauthorized":
    case "rejected":
      return "healthy";
    case "upstream":
      if (failure.isResolverOutage === true) return "unknown";
      if (failure.isTransient) return "unhealthy";
      // If the request was sent, the system responded, although the response was unusable.
      return failure.hadNoEffect ? "unknown" : "healthy";
    case "timeout":
      return "unhealthy";
    case "parameters":
    case "rejected_address":
      return "unknown";
  }
}
