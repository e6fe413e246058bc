import { UPSTREAM_REASON_CHARACTERS_MAX } from "../../platform/limits.ts";
import { findEgressFailure, type EgressFailure } from "../../platform/egress/contract.ts";
import type { Redactor } from "../../tools/model/redaction.ts";
import { parseRetryAfter } from "../../platform/egress/retry.ts";
import { tryParseJson } from "../../kernel/json.ts";
import { sanitizeText } from "../../kernel/text.ts";
import { LlmTurnTimeoutError } from "./response.ts";
import { LLM_RATE_LIMIT_DELAY_MS, LLM_RETRY_AFTER_MAX_MS, LLM_RETRY_DELAY_MS } from "./limits.ts";
import type { LlmTransport } from "./transport.ts";

/**
 * Why a request to a model failed. `final` means that repeating the request will not help. `reason` is a clause such as
 * "it cannot be reached."
 */
export type LlmFailure = (
  | { readonly kind: "retry"; readonly reason: string; readonly afterMs: number }
  | { readonly kind: "unauthorized"; readonly reason: string }
  | { readonly kind: "final"; readonly reason: string; readonly retryable: boolean }
) & {
  /** The reason with the endpoint's address, for the service's log only. */
  readonly internalReason?: string;
};

export async function classifyLlmError(
  cause: unknown,
  transport: LlmTransport,
  redaction: Redactor,
): Promise<LlmFailure> {
  if (cause instanceof LlmTurnTimeoutError) return createRetryFailure("it did not finish in time.");
  const egressFailure = findEgressFailure(cause) ?? transport.egressFailure;
  if (egressFailure !== null) return classifyEgressFailure(egressFailure);
  const { APICallError, JSONParseError, TypeValidationError } = await import("@ai-sdk/provider");
  if (APICallError.isInstance(cause)) {
    const { statusCode, responseHeaders = {}, responseBody = "" } = cause;
    const message = findMessage(tryParseJson(responseBody));
    const errorText = formatErrorText(message ?? cause.message, redaction);
    if (statusCode !== undefined && statusCode >= 300) {
      return classifyErrorStatus(statusCode, errorText, responseHeaders["retry-after"] ?? null);
    }
    if (statusCode === undefined) {
      const reason = `it failed: ${errorText}`;
      return cause.isRetryable ? createRetryFailure(reason) : createFinalFailure(reason, false);
    }
    const isError = message !== null && transport.unstreamedBody !== null;
    return createRetryFailure(isError ? `it returned an error: ${errorText}` : UNREADABLE_ANSWER);
  }
  if (JSONParseError.isInstance(cause))
    return createRetryFailure("its stream contains invalid JSON.");
  if (TypeValidationError.isInstance(cause)) {
    return createRetryFailure("its stream does not follow the provider's protocol.");
  }
  const message = findMessage(cause);
  if (message !== null && !(cause instanceof Error)) {
    return createRetryFailure(
      `its stream ended with an error: ${formatErrorText(message, redaction)}`,
    );
  }
  return createRetryFailure(describeBrokenStream(transport));
}

const UNREADABLE_ANSWER = "its response does not follow the provider's protocol.";

function describeBrokenStream({ contentType }: LlmTransport): string {
  if (contentType !== null && !contentType.toLowerCase().startsWith("text/event-stream")) {
    return `it did not stream its response (content type: ${sanitizeText(contentType, UPSTREAM_REASON_CHARACTERS_MAX)}).`;
  }
  return "its response ended before it was complete.";
}

/** Transient statuses below 500: timeout, conflict, locked, too early, too many requests. */
const TRANSIENT_STATUSES = new Set([408, 409, 423, 425, 429]);
const TOO_MANY_REQUESTS = 429;
const PAYMENT_REQUIRED = 402;
/** Google uses status 400 to reject a key. */
const INVALID_KEY_MESSAGE = /\bAPI key (?:not valid|expired)\b/i;

function classifyErrorStatus(
  status: number,
  errorText: string,
  retryAfter: string | null,
): LlmFailure {
  const reason = `it returned HTTP ${status}${errorText === "" ? "." : `: ${errorText}`}`;
  const isKeyRejected = status === 400 && INVALID_KEY_MESSAGE.test(errorText);
  if (status === 401 || status === 403 || isKeyRejected) return { kind: "unauthorized", reason };
  if (status >= 500 || TRANSIENT_STATUSES.has(status)) {
    const seconds = parseRetryAfter(retryAfter, Date.now());
    const usualMs = status === TOO_MANY_REQUESTS ? LLM_RATE_LIMIT_DELAY_MS : LLM_RETRY_DELAY_MS;
    const afterMs = seconds === null ? usualMs : Math.min(seconds * 1_000, LLM_RETRY_AFTER_MAX_MS);
    return { kind: "retry", reason, afterMs };
  }
  return createFinalFailure(reason, status === PAYMENT_REQUIRED);
}

/** Everyone who can read the task can see the reason, so it must not contain an address. */
function classifyEgressFailure(failure: EgressFailure): LlmFailure {
  switch (failure.kind) {
    case "rejected":
      return {
        ...createFinalFailure(
          failure.because === "address"
            ? "requests to its address are not allowed."
            : "it redirects to an address to which requests are not allowed.",
          false,
        ),
        internalReason: `it leads to ${failure.url}, which ${failure.reason}.`,
      };
    case "timeout":
      return createRetryFailure(`it did not finish within ${failure.timeoutMs} ms.`);
    case "unreachable":
      return { ...createRetryFailure("it cannot be reached."), internalReason: failure.reason };
    case "too_large":
      return createRetryFailure(`it returned more than ${failure.bytesMax} bytes.`);
  }
}

/** The deepest form in use is `{error: {message}}` in a list. */
const MESSAGE_DEPTH_MAX = 4;

/** Finds the message in an error, in any of the forms that providers use. Null if there is none. */
function findMessage(value: unknown, depth = MESSAGE_DEPTH_MAX): string | null {
  if (typeof value === "string") return value;
  if (typeof value !== "object" || value === null || depth === 0) return null;
  if (Array.isArray(value)) return findMessage(value[0], depth - 1);
  for (const name of ["message", "error", "errors", "detail"]) {
    const message = findMessage(Reflect.get(value, name), depth - 1);
    if (message !== null) return message;
  }
  return null;
}

/** Masks secrets before the text is truncated, because a truncated secret would not be recognised. */
function formatErrorText(text: string, redaction: Redactor): string {
  const message = sanitizeText(redaction.text(text), UPSTREAM_REASON_CHARACTERS_MAX);
  return message.replace(/(?<=[^.!?…])$/, ".");
}

function createRetryFailure(reason: string): LlmFailure {
  return { kind: "retry", reason, afterMs: LLM_RETRY_DELAY_MS };
}

function createFinalFailure(reason: string, retryable: boolean): LlmFailure {
  return { kind: "final", reason, retryable };
}
