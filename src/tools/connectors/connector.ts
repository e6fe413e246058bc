import type { Authorisation, Connector, Operation, OutsideCall } from "../../domain/connector.ts";
import type { Health } from "../../domain/meter.ts";
import type { Egress } from "../../egress/contract.ts";
import { runBuiltin } from "./builtin.ts";
import type { CallFault, CallOutcome } from "./contract.ts";
import { runHttp } from "./http.ts";
import { isSafe } from "./http/retry.ts";
import { runMcp } from "./mcp.ts";

/** Everything that one call needs to be carried out. */
export interface Work extends Omit<OutsideCall, "authorisation"> {
  readonly connector: Connector;
  readonly operation: Operation | null;
}

/** Carries out a call where the tool's connector says: here, by HTTP, or by an MCP server. */
export async function run(
  egress: Egress,
  work: Work,
  authorisation: Authorisation | null,
): Promise<CallOutcome> {
  const { connector, operation, ...given } = work;
  const call = { ...given, authorisation };
  switch (connector.type) {
    case "builtin": {
      const outcome = await runBuiltin(call.toolId, call.capability, call.parameters);
      if (outcome.ok) return outcome;
      return { ok: false, failure: { kind: "parameters", problems: outcome.failure } };
    }
    case "http":
      if (operation?.type !== "http") throw new Error("An http tool has requests");
      return runHttp(egress, connector, operation.request, call);
    case "mcp":
      if (operation?.type !== "mcp") throw new Error("An mcp tool has the names of remote tools");
      return runMcp(egress, connector, operation.tool, call);
  }
}

/** Whether a call changes nothing outside; what a remote MCP tool does, nobody can tell. */
export function isSafeWork({ connector, operation }: Work): boolean {
  if (connector.type === "builtin") return true;
  return operation?.type === "http" && isSafe(operation.request.method);
}

/** What an outcome shows of the system behind the tool. */
export function healthOf(work: Work, fault: CallFault | null): Health {
  if (work.connector.type === "builtin") return "well";
  switch (fault?.kind) {
    case undefined:
    case "unauthorised":
    case "rejected":
      return "well";
    case "broken":
      if (fault.isResolverOutage === true) return "nothing";
      if (fault.isPassing) return "ill";
      // Large, lost in redirects, not JSON: the system answered all the same.
      return fault.isUndone ? "nothing" : "well";
    case "timeout":
      return "ill";
    case "parameters":
    case "refused_address":
      return "nothing";
  }
}
