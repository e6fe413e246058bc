import { UPSTREAM_REASON_CHARACTERS_MAX } from "../../../domain/limits.ts";
import type { EgressFault } from "../../../egress/contract.ts";
import type { Redaction } from "../../../secrets/redact.ts";
import { retryAfterSeconds } from "../../../tools/connectors/http/retry.ts";
import { cut } from "../../../domain/text.ts";
import { TooLong, TurnOver } from "./answer.ts";
import { ANSWER_BYTES_MAX, PAUSE_BUSY_MS, PAUSE_MAX_MS, PAUSE_MS } from "./limits.ts";
import { egressFault, type Wire } from "./wire.ts";

/** What a failed answer means: try again, the key is refused, or it will never do. `reason` is a clause: "it …". */
export type ModelFault = (
  | { readonly kind: "again"; readonly reason: string; readonly afterMs: number }
  | { readonly kind: "auth"; readonly reason: string }
  | { readonly kind: "final"; readonly reason: string; readonly retryable: boolean }
) & {
  /** The reason with the endpoint's address, for the service's log only. */
  readonly internalReason?: string;
};

/** What an error of the SDK, or in the stream, says about the endpoint. */
export async function faultOf(
  cause: unknown,
  wire: Wire,
  redaction: Redaction,
): Promise<ModelFault> {
  if (cause instanceof TurnOver) return again("it did not come to an end within the turn's time.");
  if (cause instanceof TooLong) return faultOfEgress(TOO_LARGE);
  const onWire = egressFault(cause) ?? wire.fault;
  if (onWire !== null) return faultOfEgress(onWire);
  const { APICallError, JSONParseError, TypeValidationError } = await import("@ai-sdk/provider");
  if (APICallError.isInstance(cause)) {
    const { statusCode, responseHeaders = {} } = cause;
    const said = saidIn(cause.responseBody ?? "", redaction);
    const words = said ?? told(cause.message, redaction);
    if (statusCode !== undefined && statusCode >= 300) {
      return faultOfStatus(statusCode, words, responseHeaders["retry-after"] ?? null);
    }
    if (statusCode === undefined) {
      const reason = `it failed: ${words}`;
      return cause.isRetryable ? again(reason) : final(reason, false);
    }
    const isError = said !== null && wire.unstreamed !== null;
    return again(isError ? `it answered with an error: ${said}` : UNREADABLE);
  }
  if (JSONParseError.isInstance(cause)) return again("its stream holds broken JSON.");
  if (TypeValidationError.isInstance(cause)) {
    return again("its stream does not follow the provider's protocol.");
  }
  const message = messageIn(cause);
  if (message !== null && !(cause instanceof Error)) {
    return again(`it broke off with an error: ${told(message, redaction)}`);
  }
  return again(brokenOff(wire));
}

const UNREADABLE = "its answer could not be read: it does not follow the provider's protocol.";

function brokenOff({ contentType }: Wire): string {
  if (contentType !== null && !contentType.toLowerCase().startsWith("text/event-stream")) {
    return `it did not stream its answer: the content type is ${cut(contentType, UPSTREAM_REASON_CHARACTERS_MAX)}.`;
  }
  return "its answer broke off before its end.";
}

const TOO_LARGE: EgressFault = { kind: "too_large", bytesMax: ANSWER_BYTES_MAX };
/** Statuses below 500 that say nothing of the request itself: timeout, conflict, locked, too early, too many. */
const PASSING = new Set([408, 409, 423, 425, 429]);
const BUSY = 429;
const PAYMENT_REQUIRED = 402;
/** Google rejects a key with status 400. */
const BAD_KEY = /\bAPI key (?:not valid|expired)\b/i;

function faultOfStatus(status: number, said: string, retryAfter: string | null): ModelFault {
  const reason = `it answered HTTP ${status}${said === "" ? "." : `: ${said}`}`;
  const isKeyRefused = status === 400 && BAD_KEY.test(said);
  if (status === 401 || status === 403 || isKeyRefused) return { kind: "auth", reason };
  if (status >= 500 || PASSING.has(status)) {
    const seconds = retryAfterSeconds(retryAfter, Date.now());
    const usualMs = status === BUSY ? PAUSE_BUSY_MS : PAUSE_MS;
    const afterMs = seconds === null ? usualMs : Math.min(seconds * 1_000, PAUSE_MAX_MS);
    return { kind: "again", reason, afterMs };
  }
  return final(reason, status === PAYMENT_REQUIRED);
}

/** Every reader of the task sees the reason, so it contains no address. */
function faultOfEgress(fault: EgressFault): ModelFault {
  switch (fault.kind) {
    case "refused":
      return {
        ...final(
          fault.because === "address"
            ? "requests to its address are not allowed."
            : "it redirects to an address to which requests are not allowed.",
          false,
        ),
        internalReason: `it leads to ${fault.url}, which ${fault.reason}.`,
      };
    case "timeout":
      return again(`it did not come to an end within ${fault.timeoutMs} ms.`);
    case "unreachable":
      return { ...again("it cannot be reached."), internalReason: fault.reason };
    case "too_large":
      return again(`it answered with more than ${fault.bytesMax} bytes.`);
  }
}

/** `{error: {message}}` in a list is the deepest of the forms in use. */
const MESSAGE_DEPTH_MAX = 4;

/** What an error's body says in one of the forms that providers use; null when it says nothing to people. */
function saidIn(body: string, redaction: Redaction): string | null {
  const message = messageIn(parsed(body));
  return message === null ? null : told(message, redaction);
}

function messageIn(value: unknown, depth = MESSAGE_DEPTH_MAX): string | null {
  if (typeof value === "string") return value;
  if (typeof value !== "object" || value === null || depth === 0) return null;
  if (Array.isArray(value)) return messageIn(value[0], depth - 1);
  for (const name of ["message", "error", "errors", "detail"]) {
    const message = messageIn(Reflect.get(value, name), depth - 1);
    if (message !== null) return message;
  }
  return null;
}

/** Masked before it is cut: half a secret at the cut would pass unseen. */
function told(text: string, redaction: Redaction): string {
  const said = cut(redaction.text(text), UPSTREAM_REASON_CHARACTERS_MAX);
  return said.replace(/(?<=[^.!?…])$/, ".");
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function again(reason: string): ModelFault {
  return { kind: "again", reason, afterMs: PAUSE_MS };
}

function final(reason: string, retryable: boolean): ModelFault {
  return { kind: "final", reason, retryable };
}
