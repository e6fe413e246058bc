import type {
  CapabilityOperation,
  Connector,
  RemoteCall,
  RequestAuthorization,
} from "../model/connector.ts";
import type { UpstreamHealth } from "../model/tool-meter.ts";
import type { Egress } from "../../platform/egress/contract.ts";
import { runBuiltin } from "./builtin.ts";
import type { CallOutcome, ConnectorFailure } from "./contract.ts";
import { callHttp } from "./http/call-http.ts";
import { isSafeMethod } from "../../platform/egress/retry.ts";

export interface ConnectorCall extends Omit<RemoteCall, "authorization"> {
  readonly connector: Connector;
  readonly operation: CapabilityOperation | null;
}

/** Executes a call with the connector of its tool. */
export async function dispatchCall(
  egress: Egress,
  work: ConnectorCall,
  authorization: RequestAuthorization | null,
): Promise<CallOutcome> {
  const { connector, operation, ...given } = work;
  const call = { ...given, authorization };
  switch (connector.type) {
    case "builtin": {
      const outcome = await runBuiltin(call.toolId, call.capability, call.parameters);
      if (outcome.ok) return outcome;
      return { ok: false, failure: { kind: "parameters", problems: outcome.failure } };
    }
    case "http":
      if (operation?.type !== "http") throw new Error("An http tool has requests");
      return callHttp(egress, connector, operation.request, call);
    case "mcp": {
      if (operation?.type !== "mcp") throw new Error("An mcp tool has the names of remote tools");
      // The MCP SDK is large: load it with the first call.
      const { callRemoteMcpTool } = await import("./mcp/call-tool.ts");
      return callRemoteMcpTool(egress, connector, operation.tool, call);
    }
  }
}

/** Whether a call is safe to repeat. The effects of a remote MCP tool are unknown. */
export function isSafeCall({ connector, operation }: ConnectorCall): boolean {
  if (connector.type === "builtin") return true;
  return operation?.type === "http" && isSafeMethod(operation.request.method);
}

/** What an outcome shows about the system behind the tool. */
export function upstreamHealthOf(
  work: ConnectorCall,
  fault: ConnectorFailure | null,
): UpstreamHealth {
  if (work.connector.type === "builtin") return "well";
  switch (fault?.kind) {
    case undefined:
    case "unauthorized":
    case "rejected":
      return "well";
    case "broken":
      if (fault.isResolverOutage === true) return "nothing";
      if (fault.isPassing) return "ill";
      // The response was unusable, but the system responded.
      return fault.isUndone ? "nothing" : "well";
    case "timeout":
      return "ill";
    case "parameters":
    case "refused_address":
      return "nothing";
  }
}
