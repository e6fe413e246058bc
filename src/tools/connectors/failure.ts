import { invalid, type Failure } from "../../domain/failure.ts";
import type { Problem } from "../../domain/problem.ts";
import type { CallFault } from "./contract.ts";

/** A call's fault as everybody meets it. */
export function failureOf(toolId: string, fault: CallFault): Failure {
  switch (fault.kind) {
    case "parameters":
      return parameterFailure(fault.problems);
    case "refused_address":
      return invalid("url", `leads to ${fault.url}, which ${fault.reason}`);
    case "unauthorised":
      return { kind: "credentials_required", toolId, reason: fault.reason };
    case "rejected": {
      const { reason, details } = fault;
      return {
        kind: "tool_failed",
        toolId,
        reason,
        retryable: false,
        retryAfterSeconds: null,
        details,
      };
    }
    case "broken": {
      const { reason, retryAfterSeconds } = fault;
      return {
        kind: "tool_failed",
        toolId,
        reason,
        retryable: true,
        retryAfterSeconds,
        details: null,
      };
    }
    case "timeout":
      return { kind: "tool_timeout", toolId, timeoutMs: fault.timeoutMs };
  }
}

export function parameterFailure(problems: readonly Problem[]): Failure {
  return {
    kind: "validation",
    problems: problems.map(({ path, message }) => ({ path: `parameters.${path}`, message })),
  };
}
