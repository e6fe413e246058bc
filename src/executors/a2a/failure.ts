import { UPSTREAM_REASON_CHARACTERS_MAX } from "../../platform/limits.ts";
import type { EgressFailure } from "../../platform/egress/contract.ts";
import { toSingleLine } from "../../kernel/text.ts";

/**
 * Why a request failed. `unsupported`: the agent does not support the operation. `terminal`: the remote task has ended.
 * `reason` is a clause such as "it cannot be reached."
 */
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

export function createA2aFailure(
  kind: A2aFailure["kind"],
  reason: string,
  details: Partial<Pick<A2aFailure, "retryAfterSeconds" | "internalReason">> = {},
): A2aFailure {
  return { kind, reason, retryAfterSeconds: null, ...details };
}

/** Everyone who can read the task can see the reason, so it must not contain an address. */
export function classifyA2aEgressFailure(failure: EgressFailure): A2aFailure {
  switch (failure.kind) {
    case "rejected":
      return createA2aFailure(
        "permanent",
        "requests to its address, or to one that it redirects to, are not allowed.",
        { internalReason: `it leads to ${failure.url}, which ${failure.reason}.` },
      );
    case "timeout":
      return createA2aFailure(
        "transient",
        `it did not respond within ${Math.ceil(failure.timeoutMs / 1_000)} seconds.`,
      );
    case "unreachable":
      return createA2aFailure("transient", "it cannot be reached.", {
        internalReason: failure.reason,
      });
    case "too_large":
      return createA2aFailure("permanent", `it returned more than ${failure.bytesMax} bytes.`);
  }
}

/** Failure kinds by A2A error reason (specification, section 3.3.2). */
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
/** Failure kinds by JSON-RPC error code: method not found, internal error. */
const FAILURE_KINDS_BY_CODE: ReadonlyMap<unknown, A2aFailure["kind"]> = new Map([
  [-32_601, "unsupported"],
  [-32_603, "transient"],
]);
const CAUSE_DEPTH_MAX = 5;

/** Classifies an SDK error. `errorResponse` is the response to the last request, if it was an error. */
export function classifyA2aError(
  error: unknown,
  errorResponse: A2aErrorResponse | null,
): A2aFailure {
  const { status = null, retryAfterSeconds = null } = errorResponse ?? {};
  const statusReason = `it returned HTTP ${status}.`;
  if (status === 401 || status === 403) return createA2aFailure("unauthorized", statusReason);
  if (status === 429) {
    const reason = "it returned HTTP 429: too many requests.";
    return createA2aFailure("transient", reason, { retryAfterSeconds });
  }
  const agentError = findAgentError(error);
  const kind = agentError?.kind;
  if (agentError !== null && (kind !== undefined || status === null))
    return createA2aFailure(kind ?? "permanent", `it returned an error: ${agentError.message}`);
  if (status === null)
    return createA2aFailure("permanent", "its response does not conform to A2A 1.0.");
  if (status >= 500 || status === 408)
    return createA2aFailure("transient", statusReason, { retryAfterSeconds });
  return createA2aFailure(
    status === 404 || status === 410 ? "not_found" : "permanent",
    statusReason,
  );
}

/** The agent's own error, which the SDK may have wrapped. `kind` is undefined for an error that A2A does not define. */
function findAgentError(
  error: unknown,
): { readonly message: string; readonly kind: A2aFailure["kind"] | undefined } | null {
  let cause = error;
  for (let depth = 0; depth < CAUSE_DEPTH_MAX && cause instanceof Error; depth += 1) {
    if ("reason" in cause && typeof cause.reason === "string") {
      const code = "envelopeCode" in cause ? cause.envelopeCode : null;
      const message = toSingleLine(cause.message, UPSTREAM_REASON_CHARACTERS_MAX) || "(no message)";
      return {
        message: message.replace(/(?<![.!?…])$/, "."),
        kind: FAILURE_KINDS_BY_CODE.get(code) ?? FAILURE_KINDS_BY_REASON[cause.reason],
      };
    }
    cause = cause.cause;
  }
  return null;
}
