import type { AttemptOutcome } from "../model/delivery.ts";
import {
  DELIVERY_RESPONSE_CHARACTERS_MAX,
  DELIVERY_RESPONSE_BODY_TIMEOUT_MS,
  DELIVERY_TIMEOUT_MS,
} from "../limits.ts";
import { sanitizeText } from "../../kernel/text.ts";
import { TimeoutError, withTimeout } from "../../platform/promises.ts";
import { EgressError, type Egress, type EgressFailure } from "../../platform/egress/contract.ts";
import { parseRetryAfter } from "../../platform/egress/retry.ts";
import type { WebhookMessage } from "./message.ts";

/** Posts a message once. Does not throw if the receiver or the network fails. */
export async function postMessage(
  egress: Egress,
  url: string,
  { headers, body }: WebhookMessage,
): Promise<AttemptOutcome> {
  const at = Date.now();
  // Redirects are not followed, because a message must be sent only to the webhook's own address.
  const init = { method: "POST", headers, body, redirect: "manual" } as const;
  // Only the part of the body that is stored is read, so the size of the body does not matter.
  const bounds = {
    timeoutMs: DELIVERY_TIMEOUT_MS,
    bytesMax: Number.MAX_SAFE_INTEGER,
    sendsSecret: true,
  };
  try {
    const response = await egress.createFetch(bounds)(url, init);
    const answer = await readBodyStart(response.body);
    const now = Date.now();
    return {
      at,
      durationMs: now - at,
      status: response.status,
      error: describeResponseError(response),
      answer: answer === "" ? null : answer,
      retryAfterSeconds: parseRetryAfter(response.headers.get("Retry-After"), now),
    };
  } catch (error) {
    if (!(error instanceof EgressError)) throw error;
    const outcome = buildUnsentOutcome(at, describeEgressFailure(error.failure));
    return { ...outcome, durationMs: Date.now() - at };
  }
}

/** An attempt that failed without a response. */
export function buildUnsentOutcome(at: number, error: string): AttemptOutcome {
  return { at, durationMs: 0, status: null, error, answer: null, retryAfterSeconds: null };
}

function describeResponseError({ ok, status, headers }: Response): string | null {
  if (ok) return null;
  if (status >= 300 && status < 400 && headers.has("Location")) {
    return `The receiver responded with a redirect (${status}), which is not followed. Change the webhook's url to the new address.`;
  }
  return `The receiver responded with status ${status}.`;
}

function describeEgressFailure(failure: EgressFailure): string {
  switch (failure.kind) {
    case "rejected":
      return `The address ${failure.url} ${failure.reason}.`;
    case "timeout":
      return `The receiver did not respond within ${failure.timeoutMs / 1_000} seconds.`;
    case "unreachable":
      return `The receiver cannot be reached: ${failure.reason}.`;
    case "too_large":
      return "The receiver's response is too large.";
  }
}

/** Reads the beginning of a body, or as much of it as arrives in time. */
async function readBodyStart(body: ReadableStream<Uint8Array> | null): Promise<string> {
  if (body === null) return "";
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let text = "";
  const read = async (): Promise<void> => {
    while (text.length < DELIVERY_RESPONSE_CHARACTERS_MAX) {
      const { done, value } = await reader.read();
      if (done) return;
      text += decoder.decode(value, { stream: true });
    }
  };
  try {
    await withTimeout(DELIVERY_RESPONSE_BODY_TIMEOUT_MS, read());
  } catch (error) {
    // If the body is slow or interrupted, the response's status is still valid.
    if (!(error instanceof TimeoutError || error instanceof EgressError)) throw error;
  }
  reader.cancel().catch(() => {});
  return sanitizeText(text, DELIVERY_RESPONSE_CHARACTERS_MAX);
}
