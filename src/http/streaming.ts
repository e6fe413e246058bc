import { streamSSE } from "hono/streaming";
import { STREAM_RETRY_MS } from "./limits.ts";
import { type AppContext, logUnexpectedError, sendFailure } from "./envelope.ts";

export interface SseMessage {
  readonly event?: string;
  readonly id?: string;
  readonly data: string;
}

/**
 * An SSE comment without an empty line after it, because some clients report an event at every empty line, even without
 * data.
 */
const PING = ": ping\n";

/** Whether a client requests Server-Sent Events; a HEAD request never does. */
export function acceptsEventStream(c: AppContext): boolean {
  const accepts = /(?:^|,)\s*text\/event-stream\s*(?:[;,]|$)/.test(c.req.header("Accept") ?? "");
  return accepts && c.req.method !== "HEAD";
}

/**
 * Streams frames; a null frame is a ping. `endController` is aborted when the stream ends or the client disconnects.
 */
export function streamMessages(
  c: AppContext,
  frames: AsyncIterable<SseMessage | null>,
  endController: AbortController,
): Response {
  return streamSSE(c, async (stream) => {
    stream.onAbort(() => endController.abort());
    let retry: { readonly retry?: number } = { retry: STREAM_RETRY_MS };
    try {
      for await (const frame of frames) {
        if (frame === null) {
          await stream.write(PING);
        } else {
          await stream.writeSSE({ ...frame, ...retry });
          retry = {};
        }
        if (stream.aborted) break;
      }
    } finally {
      endController.abort();
    }
  });
}

/** Reports the progress of a long operation. */
export type ProgressCallback = (done: number, total: number) => Promise<void>;

/**
 * Streams a long operation: `progress` events with `{done, total}`, then a `result` or `error` event with the usual
 * envelope. The status is always 200.
 */
export function streamProgress(
  c: AppContext,
  work: (onProgress: ProgressCallback) => Promise<Response>,
): Response {
  return streamSSE(c, async (stream) => {
    const outcome = await work((done, total) =>
      stream.writeSSE({ event: "progress", data: JSON.stringify({ done, total }) }),
    ).catch((error: unknown) => sendFailure(c, logUnexpectedError(c.req, error)));
    const event = outcome.status < 400 ? "result" : "error";
    await stream.writeSSE({ event, data: await outcome.text() });
  });
}
