import type { Attempt, Outcome } from "../domain/delivery.ts";
import {
  DELIVERY_ANSWER_CHARACTERS_MAX,
  DELIVERY_ANSWER_WAIT_MS,
  DELIVERY_TIMEOUT_MS,
} from "../domain/limits.ts";
import { cut } from "../domain/text.ts";
import { TimedOut, within } from "../clock/within.ts";
import { EgressError, type Egress, type EgressFault } from "../egress/contract.ts";
import { retryAfterSeconds } from "../tools/connectors/http/retry.ts";
import type { WebhookMessage } from "./contract.ts";

/** Posts a message once. It never throws for what the receiver or the way to it does. */
export async function attempt(
  egress: Egress,
  url: string,
  { headers, body }: WebhookMessage,
): Promise<Outcome> {
  const at = Date.now();
  // A redirect is an answer: whoever signs for one address does not send to another.
  const init = { method: "POST", headers, body, redirect: "manual" } as const;
  // The answer is read as far as it is kept, however long it is.
  const bounds = {
    timeoutMs: DELIVERY_TIMEOUT_MS,
    bytesMax: Number.MAX_SAFE_INTEGER,
    sendsSecret: true,
  };
  const ended = (): Pick<Attempt, "at" | "durationMs"> => ({ at, durationMs: Date.now() - at });
  try {
    const response = await egress.fetchWithin(bounds)(url, init);
    const answer = await beginning(response.body);
    const { status } = response;
    const asked = retryAfterSeconds(response.headers.get("Retry-After"), Date.now());
    return {
      ...ended(),
      status,
      error: errorOf(response),
      answer: answer === "" ? null : answer,
      retryAfterSeconds: asked,
    };
  } catch (error) {
    if (!(error instanceof EgressError)) throw error;
    return { ...unsent(at, wordsOf(error.fault)), ...ended() };
  }
}

/** An attempt that came to nothing before there was an answer. */
export function unsent(at: number, error: string): Outcome {
  return { at, durationMs: 0, status: null, error, answer: null, retryAfterSeconds: null };
}

function errorOf({ ok, status, headers }: Response): string | null {
  if (ok) return null;
  if (status >= 300 && status < 400 && headers.has("Location")) {
    return `The receiver answered with a redirect (${status}), which is not followed; give the webhook the new url.`;
  }
  return `The receiver answered with the status ${status}.`;
}

function wordsOf(fault: EgressFault): string {
  switch (fault.kind) {
    case "refused":
      return `The address ${fault.url} ${fault.reason}.`;
    case "timeout":
      return `The receiver did not answer within ${fault.timeoutMs / 1_000} seconds.`;
    case "unreachable":
      return `The receiver cannot be reached: ${fault.reason}.`;
    case "too_large":
      return "The receiver answered with too much.";
  }
}

/** How a body begins, as far as it comes soon; the rest is not read. */
async function beginning(body: ReadableStream<Uint8Array> | null): Promise<string> {
  if (body === null) return "";
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let text = "";
  const read = async (): Promise<void> => {
    while (text.length < DELIVERY_ANSWER_CHARACTERS_MAX) {
      const { done, value } = await reader.read();
      if (done) return;
      text += decoder.decode(value, { stream: true });
    }
  };
  try {
    await within(DELIVERY_ANSWER_WAIT_MS, read());
  } catch (error) {
    // An answer that breaks off or drips has its status all the same.
    if (!(error instanceof TimedOut || error instanceof EgressError)) throw error;
  }
  reader.cancel().catch(() => {});
  return cut(text, DELIVERY_ANSWER_CHARACTERS_MAX);
}
