import { UPSTREAM_REASON_CHARACTERS_MAX } from "../../platform/limits.ts";
import type { EgressFailure } from "../../platform/egress/contract.ts";
import { toSingleLine } from "../../kernel/text.ts";

/**
 * How a request to an agent elsewhere can fail; `reason` is a clause: "it …".
 * `passing`: the same may go well later. `auth`: the key is missing or wrong. `gone`: the agent knows
 * nothing of the task. `unsupported`: it cannot do this, perhaps something else instead. `ended`: the
 * task has ended already. `lasting`: whatever else will not get better.
 */
export interface A2aFailure {
  readonly kind: "passing" | "auth" | "gone" | "unsupported" | "ended" | "lasting";
  readonly reason: string;
  readonly retryAfterSeconds: number | null;
  /** The reason with the agent's address, for the service's log only. */
  readonly internalReason?: string;
}

/** An answer with a status that is no success. */
export interface A2aErrorResponse {
  readonly status: number;
  readonly retryAfterSeconds: number | null;
}

export function createTransientA2aFailure(
  reason: string,
  retryAfterSeconds: number | null = null,
): A2aFailure {
  return { kind: "passing", reason, retryAfterSeconds };
}

export function createPermanentA2aFailure(
  reason: string,
  kind: A2aFailure["kind"] = "lasting",
): A2aFailure {
  return { kind, reason, retryAfterSeconds: null };
}

/** Every reader of the task sees the reason, so it contains no address. */
export function classifyA2aEgressFailure(fault: EgressFailure): A2aFailure {
  switch (fault.kind) {
    case "refused":
      return {
        ...createPermanentA2aFailure("it leads to an address to which requests are not allowed."),
        internalReason: `it leads to ${fault.url}, which ${fault.reason}.`,
      };
    case "timeout":
      return createTransientA2aFailure(
        `it did not answer within ${Math.ceil(fault.timeoutMs / 1_000)} seconds.`,
      );
    case "unreachable":
      return {
        ...createTransientA2aFailure("it cannot be reached."),
        internalReason: fault.reason,
      };
    case "too_large":
      return createPermanentA2aFailure(`it answered with more than ${fault.bytesMax} bytes.`);
  }
}

/** Errors of A2A by the reason that the SDK gives them (specification, section 3.3.2). */
const FAILURE_KINDS_BY_REASON: Readonly<Record<string, A2aFailure["kind"]>> = {
  TASK_NOT_FOUND: "gone",
  TASK_NOT_CANCELABLE: "ended",
  UNSUPPORTED_OPERATION: "unsupported",
  PUSH_NOTIFICATION_NOT_SUPPORTED: "lasting",
  CONTENT_TYPE_NOT_SUPPORTED: "lasting",
  EXTENSION_SUPPORT_REQUIRED: "lasting",
  VERSION_NOT_SUPPORTED: "lasting",
  INVALID_AGENT_RESPONSE: "passing",
};
const METHOD_NOT_FOUND = -32_601;
const INTERNAL_ERROR = -32_603;
const CAUSE_DEPTH_MAX = 5;

/** What the SDK's error says about the other side; `refusal` is how the last request was answered, if with no success. */
export function classifyA2aError(
  error: unknown,
  errorResponse: A2aErrorResponse | null,
): A2aFailure {
  const status = errorResponse?.status ?? null;
  if (status === 401 || status === 403)
    return createPermanentA2aFailure(`it answered HTTP ${status}.`, "auth");
  if (errorResponse !== null && status === 429) {
    return createTransientA2aFailure(
      "it answered HTTP 429: too many requests.",
      errorResponse.retryAfterSeconds,
    );
  }
  const agentError = findAgentError(error);
  const kind = agentError === null ? undefined : classifyAgentError(agentError);
  if (agentError !== null && kind !== undefined) {
    return {
      kind,
      reason: `it answered with an error: ${agentError.message}`,
      retryAfterSeconds: null,
    };
  }
  if (errorResponse !== null) return classifyErrorStatus(errorResponse);
  if (agentError !== null)
    return createPermanentA2aFailure(`it answered with an error: ${agentError.message}`);
  return createPermanentA2aFailure("its answer is not one of A2A 1.0.");
}

function classifyErrorStatus({ status, retryAfterSeconds }: A2aErrorResponse): A2aFailure {
  const reason = `it answered HTTP ${status}.`;
  if (status >= 500 || status === 408) return createTransientA2aFailure(reason, retryAfterSeconds);
  return createPermanentA2aFailure(reason, status === 404 || status === 410 ? "gone" : "lasting");
}

interface AgentError {
  readonly reason: string;
  readonly code: number | null;
  readonly message: string;
}

function classifyAgentError({ reason, code }: AgentError): A2aFailure["kind"] | undefined {
  if (code === METHOD_NOT_FOUND) return "unsupported";
  if (code === INTERNAL_ERROR) return "passing";
  return FAILURE_KINDS_BY_REASON[reason];
}

/** The agent's own error within what the SDK throws, which may have wrapped it. */
function findAgentError(error: unknown): AgentError | null {
  let cause = error;
  for (let depth = 0; depth < CAUSE_DEPTH_MAX && cause instanceof Error; depth += 1) {
    if ("reason" in cause && typeof cause.reason === "string") {
      const code =
        "envelopeCode" in cause && typeof cause.envelopeCode === "number"
          ? cause.envelopeCode
          : null;
      const message = toSingleLine(cause.message, UPSTREAM_REASON_CHARACTERS_MAX) || "(no message)";
      return { reason: cause.reason, code, message: message.replace(/(?<![.!?…])$/, ".") };
    }
    cause = cause.cause;
  }
  return null;
}
