import { UPSTREAM_REASON_CHARACTERS_MAX } from "../../../domain/limits.ts";
import type { EgressFault } from "../../../egress/contract.ts";
import { oneLine } from "../builtin/wording.ts";

/**
 * How a request to an agent elsewhere can fail; `reason` is a clause: "it …".
 * `passing`: the same may go well later. `auth`: the key is missing or wrong. `gone`: the agent knows
 * nothing of the task. `unsupported`: it cannot do this, perhaps something else instead. `ended`: the
 * task has ended already. `lasting`: whatever else will not get better.
 */
export interface Fault {
  readonly kind: "passing" | "auth" | "gone" | "unsupported" | "ended" | "lasting";
  readonly reason: string;
  readonly retryAfterSeconds: number | null;
  /** The reason with the agent's address, for the service's log only. */
  readonly internalReason?: string;
}

/** An answer with a status that is no success. */
export interface Refusal {
  readonly status: number;
  readonly retryAfterSeconds: number | null;
}

export function passing(reason: string, retryAfterSeconds: number | null = null): Fault {
  return { kind: "passing", reason, retryAfterSeconds };
}

export function lasting(reason: string, kind: Fault["kind"] = "lasting"): Fault {
  return { kind, reason, retryAfterSeconds: null };
}

/** Every reader of the task sees the reason, so it contains no address. */
export function faultOfEgress(fault: EgressFault): Fault {
  switch (fault.kind) {
    case "refused":
      return {
        ...lasting("it leads to an address to which requests are not allowed."),
        internalReason: `it leads to ${fault.url}, which ${fault.reason}.`,
      };
    case "timeout":
      return passing(`it did not answer within ${Math.ceil(fault.timeoutMs / 1_000)} seconds.`);
    case "unreachable":
      return { ...passing("it cannot be reached."), internalReason: fault.reason };
    case "too_large":
      return lasting(`it answered with more than ${fault.bytesMax} bytes.`);
  }
}

/** Errors of A2A by the reason that the SDK gives them (specification, section 3.3.2). */
const KINDS: Readonly<Record<string, Fault["kind"]>> = {
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
const CAUSES_MAX = 5;

/** What the SDK's error says about the other side; `refusal` is how the last request was answered, if with no success. */
export function faultOf(error: unknown, refusal: Refusal | null): Fault {
  const status = refusal?.status ?? null;
  if (status === 401 || status === 403) return lasting(`it answered HTTP ${status}.`, "auth");
  if (refusal !== null && status === 429) {
    return passing("it answered HTTP 429: too many requests.", refusal.retryAfterSeconds);
  }
  const said = saidIn(error);
  const kind = said === null ? undefined : kindOf(said);
  if (said !== null && kind !== undefined) {
    return { kind, reason: `it answered with an error: ${said.message}`, retryAfterSeconds: null };
  }
  if (refusal !== null) return faultOfStatus(refusal);
  if (said !== null) return lasting(`it answered with an error: ${said.message}`);
  return lasting("its answer is not one of A2A 1.0.");
}

function faultOfStatus({ status, retryAfterSeconds }: Refusal): Fault {
  const reason = `it answered HTTP ${status}.`;
  if (status >= 500 || status === 408) return passing(reason, retryAfterSeconds);
  return lasting(reason, status === 404 || status === 410 ? "gone" : "lasting");
}

interface Said {
  readonly reason: string;
  readonly code: number | null;
  readonly message: string;
}

function kindOf({ reason, code }: Said): Fault["kind"] | undefined {
  if (code === METHOD_NOT_FOUND) return "unsupported";
  if (code === INTERNAL_ERROR) return "passing";
  return KINDS[reason];
}

/** The agent's own error within what the SDK throws, which may have wrapped it. */
function saidIn(error: unknown): Said | null {
  let cause = error;
  for (let depth = 0; depth < CAUSES_MAX && cause instanceof Error; depth += 1) {
    if ("reason" in cause && typeof cause.reason === "string") {
      const code =
        "envelopeCode" in cause && typeof cause.envelopeCode === "number"
          ? cause.envelopeCode
          : null;
      const words = oneLine(cause.message, UPSTREAM_REASON_CHARACTERS_MAX) || "(no message)";
      return { reason: cause.reason, code, message: words.replace(/(?<![.!?…])$/, ".") };
    }
    cause = cause.cause;
  }
  return null;
}
