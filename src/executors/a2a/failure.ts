import { UPSTREAM_REASON_CHARACTERS_MAX } from "../../platform/limits.ts";
import type { EgressFailure } from "../../platform/egress/contract.ts";
import { toSingleLine } from "../../kernel/text.ts";

/** Why a request failed; `reason`: "it …". `unsupported`: the agent lacks the operation. `terminal`: the task ended. */
export interface A2aFailure {
  readonly kind:
    | "transient"
    | "unauthorized"
    | "not_found"
    | "unsupported"
    | "terminal"
    | "permanent";
  readonly reason: string;
  readonly retryAfterSeconds: number | null;
  /** The reason with the agent's address, for the service's log only. */
  readonly internalReason?: string;
}

export interface A2aErrorResponse {
  readonly status: number;
  readonly retryAfterSeconds: number | null;
}

export function createTransientA2aFailure(
  reason: string,
  retryAfterSeconds: number | null = null,
): A2aFailure {
  return { kind: "transient", reason, retryAfterSeconds };
}

export function createPermanentA2aFailure(
  reason: string,
  kind: A2aFailure["kind"] = "permanent",
): A2aFailure {
  return { kind, reason, retryAfterSeconds: null };
}

/** Every reader of the task sees the reason, so it contains no address. */
export function classifyA2aEgressFailure(failure: EgressFailure): A2aFailure {
  switch (failure.kind) {
    case "rejected":
      return {
        ...createPermanentA2aFailure("it leads to an address to which requests are not allowed."),
        internalReason: `it leads to ${failure.url}, which ${failure.reason}.`,
      };
    case "timeout":
      return createTransientA2aFailure(
        `it did not answer within ${Math.ceil(failure.timeoutMs / 1_000)} seconds.`,
      );
    case "unreachable":
      return {
        ...createTransientA2aFailure("it cannot be reached."),
        internalReason: failure.reason,
      };
    case "too_large":
      return createPermanentA2aFailure(`it answered with more than ${failure.bytesMax} bytes.`);
  }
}

/** Kinds by A2A error reason (specification, section 3.3.2). */
const FAILURE_KINDS_BY_REASON: Readonly<Record<string, A2aFailure["kind"]>> = {
  TASK_NOT_FOUND: "not_found",
  TASK_NOT_CANCELABLE: "terminal",
  UNSUPPORTED_OPERATION: "unsupported",
  PUSH_NOTIFICATION_NOT_SUPPORTED: "permanent",
  CONTENT_TYPE_NOT_SUPPORTED: "permanent",
  EXTENSION_SUPPORT_REQUIRED: "permanent",
  VERSION_NOT_SUPPORTED: "permanent",
  INVALID_AGENT_RESPONSE: "transient",
};
const METHOD_NOT_FOUND = -32_601;
const INTERNAL_ERROR = -32_603;
const CAUSE_DEPTH_MAX = 5;

/** Classifies an error of the SDK. `errorResponse`: the response of the last request, if it was an error. */
export function classifyA2aError(
  error: unknown,
  errorResponse: A2aErrorResponse | null,
): A2aFailure {
  const status = errorResponse?.status ?? null;
  if (status === 401 || status === 403)
    return createPermanentA2aFailure(`it answered HTTP ${status}.`, "unauthorized");
  if (errorResponse !== null && status === 429) {
    return createTransientA2aFailure(
      "it answered HTTP 429: too many requests.",
      errorResponse.retryAfterSeconds,
    );
  }
  const agentError = findAgentError(error);
  const kind = agentError === null ? undefined : classifyAgentError(agentError);
  if (agentError !== null && kind !== undefined) {
    return createPermanentA2aFailure(`it answered with an error: ${agentError.message}`, kind);
  }
  if (errorResponse !== null) return classifyErrorStatus(errorResponse);
  if (agentError !== null)
    return createPermanentA2aFailure(`it answered with an error: ${agentError.message}`);
  return createPermanentA2aFailure("its answer is not one of A2A 1.0.");
}

function classifyErrorStatus({ status, retryAfterSeconds }: A2aErrorResponse): A2aFailure {
  const reason = `it answered HTTP ${status}.`;
  if (status >= 500 || status === 408) return createTransientA2aFailure(reason, retryAfterSeconds);
  return createPermanentA2aFailure(
    reason,
    status === 404 || status === 410 ? "not_found" : "permanent",
  );
}

interface AgentError {
  readonly reason: string;
  readonly code: unknown;
  readonly message: string;
}

function classifyAgentError({ reason, code }: AgentError): A2aFailure["kind"] | undefined {
  if (code === METHOD_NOT_FOUND) return "unsupported";
  if (code === INTERNAL_ERROR) return "transient";
  return FAILURE_KINDS_BY_REASON[reason];
}

/** The agent's own error, which the SDK may have wrapped. */
function findAgentError(error: unknown): AgentError | null {
  let cause = error;
  for (let depth = 0; depth < CAUSE_DEPTH_MAX && cause instanceof Error; depth += 1) {
    if ("reason" in cause && typeof cause.reason === "string") {
      const code = "envelopeCode" in cause ? cause.envelopeCode : null;
      const message = toSingleLine(cause.message, UPSTREAM_REASON_CHARACTERS_MAX) || "(no message)";
      return { reason: cause.reason, code, message: message.replace(/(?<![.!?…])$/, ".") };
    }
    cause = cause.cause;
  }
  return null;
}
