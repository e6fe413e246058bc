import type { CredentialType } from "../model/credential.ts";
import { createFieldFailure, type Failure } from "../../kernel/failure.ts";
import { prefixProblems, type Problem } from "../../kernel/result.ts";
import { formatRenewalAdvice } from "../credentials/credential-failures.ts";
import type { ConnectorFailure, UpstreamFailure } from "./contract.ts";
import type { JsonObject } from "../../kernel/json.ts";
import type { EgressFailure } from "../../platform/egress/contract.ts";
import type { Redactor } from "../model/redaction.ts";

/** A transient failure of the system behind a tool. `reason` is a clause that refers to the system as "it". */
export function createTransientUpstreamFailure(reason: string): UpstreamFailure {
  return { ...createPermanentUpstreamFailure(reason), isTransient: true };
}

/** A failure that retrying does not fix, such as a response in the wrong format. */
export function createPermanentUpstreamFailure(reason: string): UpstreamFailure {
  const rest = { isTransient: false, hadNoEffect: false, retryAfterSeconds: null, details: null };
  return { kind: "upstream", reason, ...rest };
}

export function createUnsendableRequestFailure(reason: string): UpstreamFailure {
  return { ...createPermanentUpstreamFailure(reason), hadNoEffect: true };
}

const TOO_MANY_REQUESTS = 429;
const SERVICE_UNAVAILABLE = 503;

/** The failure for an error status. `details` are as in UpstreamFailure. */
export function classifyUpstreamStatus(
  status: number,
  retryAfterSeconds: number | null,
  details: JsonObject,
): UpstreamFailure {
  const reason = `it returned HTTP ${status}.`;
  if (status < 500 && status !== TOO_MANY_REQUESTS)
    return { ...createPermanentUpstreamFailure(reason), details };
  // A 503 without Retry-After can come from a gateway whose backend has already processed the request.
  const hadNoEffect =
    status === TOO_MANY_REQUESTS || (status === SERVICE_UNAVAILABLE && retryAfterSeconds !== null);
  return { ...createTransientUpstreamFailure(reason), hadNoEffect, retryAfterSeconds, details };
}

export function toConnectorFailure(failure: EgressFailure): ConnectorFailure {
  switch (failure.kind) {
    case "rejected": {
      const { url, reason } = failure;
      return failure.because === "address"
        ? { kind: "rejected_address", url, reason }
        : {
            ...createPermanentUpstreamFailure(`it leads to ${url}, which ${reason}.`),
            publicReason: "it redirects to an address that is not allowed.",
          };
    }
    case "timeout":
      return { kind: "timeout", timeoutMs: failure.timeoutMs, hadNoEffect: false };
    case "unreachable": {
      const hadNoEffect = failure.isUnsent ?? false;
      const publicReason = "it cannot be reached.";
      const isResolverOutage = failure.isResolverOutage ?? false;
      const upstream = createTransientUpstreamFailure(`it cannot be reached: ${failure.reason}.`);
      return { ...upstream, publicReason, hadNoEffect, isResolverOutage };
    }
    case "too_large":
      return createPermanentUpstreamFailure(`it returned more than ${failure.bytesMax} bytes.`);
  }
}

/** Masks the credential in a failure's text. The caller masks `details`. */
export function redactConnectorFailure(
  failure: ConnectorFailure,
  redaction: Redactor,
): ConnectorFailure {
  switch (failure.kind) {
    case "rejected_address":
      return {
        ...failure,
        url: redaction.text(failure.url),
        reason: redaction.text(failure.reason),
      };
    case "upstream":
    case "unauthorized":
    case "rejected":
      return { ...failure, reason: redaction.text(failure.reason) };
    case "parameters":
    case "timeout":
      return failure;
  }
}

/** The facts about a call that determine the advice on retries and credentials. */
export interface UpstreamCallContext {
  /** Whether the call is safe to repeat. */
  readonly isSafe: boolean;
  readonly credentialType: CredentialType | null;
}

/**
 * Converts a failure to one that clients may see. `called` is null for an import, which only reads and whose failures
 * may contain the upstream address.
 */
export function toToolFailure(
  toolId: string,
  failure: ConnectorFailure,
  called: UpstreamCallContext | null = null,
): Failure {
  switch (failure.kind) {
    case "parameters":
      return createParameterFailure(failure.problems);
    case "rejected_address":
      return createFieldFailure(
        "url",
        called === null
          ? `leads to ${failure.url}, which ${failure.reason}`
          : "of the tool leads to an address that is not allowed; ask the tool's administrator to change it",
      );
    case "unauthorized": {
      const { details } = failure;
      const advice =
        called === null ? "" : ` ${formatRenewalAdvice(toolId, called.credentialType)}`;
      const reason = `${failure.reason}${advice}`;
      const rest = details === undefined ? {} : { details };
      return { kind: "credentials_required", toolId, reason, ...rest };
    }
    case "rejected": {
      const { reason, details } = failure;
      const rest = { retryable: false, retryAfterSeconds: null, mayHaveExecuted: false };
      return { kind: "tool_failed", toolId, reason, details, ...rest };
    }
    case "upstream": {
      const { details } = failure;
      const reason = called === null ? failure.reason : (failure.publicReason ?? failure.reason);
      const mayHaveExecuted = mayHaveSideEffects(called) && !failure.hadNoEffect;
      if (failure.isResolverOutage === true && !mayHaveExecuted) {
        return { kind: "unavailable", what: "The DNS resolver" };
      }
      const retryable = failure.isTransient && !mayHaveExecuted;
      const retryAfterSeconds = retryable ? failure.retryAfterSeconds : null;
      const rest = { retryable, retryAfterSeconds, mayHaveExecuted };
      return { kind: "tool_failed", toolId, reason, details, ...rest };
    }
    case "timeout": {
      const mayHaveExecuted = mayHaveSideEffects(called) && !failure.hadNoEffect;
      return { kind: "tool_timeout", toolId, timeoutMs: failure.timeoutMs, mayHaveExecuted };
    }
  }
}

export function createParameterFailure(problems: readonly Problem[]): Failure {
  return { kind: "validation", problems: prefixProblems("parameters", problems) };
}

function mayHaveSideEffects(called: UpstreamCallContext | null): boolean {
  return called !== null && !called.isSafe;
}
