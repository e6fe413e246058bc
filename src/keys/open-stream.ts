import type { Failure } from "../kernel/failure.ts";
import type { Result } from "../kernel/result.ts";
import type { AppContext } from "../http/envelope.ts";
import { streamMessages, type SseMessage } from "../http/streaming.ts";
import { reserveStream } from "./authenticate.ts";

/**
 * Responds with a stream that counts towards the key's limit of open streams until it ends or its client disconnects.
 * `open` returns the messages (null: a ping), or null for a 204 response. Its signal is aborted when the stream ends.
 */
export async function openStream(
  c: AppContext,
  open: (signal: AbortSignal) => Promise<Result<AsyncIterable<SseMessage | null> | null, Failure>>,
): Promise<Result<never, Failure> | Response> {
  const over = new AbortController();
  c.req.raw.signal.addEventListener("abort", () => over.abort());
  const reservation = reserveStream(c.get("key"), over.signal);
  if (!reservation.ok) return reservation;
  let isStreaming = false;
  try {
    const messages = await open(over.signal);
    if (!messages.ok) return messages;
    if (messages.value === null) return c.body(null, 204);
    isStreaming = true;
    return streamMessages(c, messages.value, over);
  } finally {
    if (!isStreaming) over.abort();
  }
}
