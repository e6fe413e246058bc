import type { CredentialType } from "../../domain/credential.ts";
import { invalid, type Failure } from "../../domain/failure.ts";
import { below, type Problem } from "../../domain/problem.ts";
import { anew } from "../credentials/failures.ts";
import type { CallFault } from "./contract.ts";

/** What decides whether a call may be repeated, and what helps where its credentials do not. */
export interface Called {
  /** Whether it changes nothing, so that doing it twice does no harm. */
  readonly isSafe: boolean;
  readonly credentialType: CredentialType | null;
}

/**
 * A call's failure for callers, without the address of the system behind the tool. `called` is null for an
 * import, which only reads, and whose client already knows the address.
 */
export function failureOf(toolId: string, fault: CallFault, called: Called | null = null): Failure {
  switch (fault.kind) {
    case "parameters":
      return parameterFailure(fault.problems);
    case "refused_address":
      return invalid(
        "url",
        called === null
          ? `leads to ${fault.url}, which ${fault.reason}`
          : "of the tool leads to an address to which requests are not allowed; ask an administrator of the tool",
      );
    case "unauthorised": {
      const { details } = fault;
      const advice = called === null ? "" : ` ${anew(toolId, called.credentialType)}`;
      const reason = `${fault.reason}${advice}`;
      return {
        kind: "credentials_required",
        toolId,
        reason,
        ...(details === undefined ? {} : { details }),
      };
    }
    case "rejected": {
      const { reason, details } = fault;
      const rest = { retryable: false, retryAfterSeconds: null, mayBeDone: false };
      return { kind: "tool_failed", toolId, reason, details, ...rest };
    }
    case "broken": {
      const { details } = fault;
      const reason = called === null ? fault.reason : (fault.publicReason ?? fault.reason);
      const mayBeDone = mayHaveChanged(called) && !fault.isUndone;
      if (fault.isResolverOutage === true && !mayBeDone) {
        return { kind: "unavailable", what: "The DNS resolver" };
      }
      const retryable = fault.isPassing && !mayBeDone;
      const retryAfterSeconds = retryable ? fault.retryAfterSeconds : null;
      const rest = { retryable, retryAfterSeconds, mayBeDone };
      return { kind: "tool_failed", toolId, reason, details, ...rest };
    }
    case "timeout": {
      const mayBeDone = mayHaveChanged(called) && !fault.isUndone;
      return { kind: "tool_timeout", toolId, timeoutMs: fault.timeoutMs, mayBeDone };
    }
  }
}

export function parameterFailure(problems: readonly Problem[]): Failure {
  return { kind: "validation", problems: below("parameters", problems) };
}

function mayHaveChanged(called: Called | null): boolean {
  return called !== null && !called.isSafe;
}
