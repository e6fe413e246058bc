import { streamSSE } from "hono/streaming";
import type { Failure } from "../domain/failure.ts";
import type { Result } from "../domain/result.ts";
import type { AppContext } from "./context.ts";
import { failed, success, type Reply } from "./envelope.ts";
import { unexpected } from "./unexpected.ts";

/** Whether a client asks to hear of progress while it waits. */
export function wantsProgress(c: AppContext): boolean {
  return /(?:^|,)\s*text\/event-stream\s*(?:[;,]|$)/.test(c.req.header("Accept") ?? "");
}

/**
 * Long work as Server-Sent Events: `progress` with `{done, total}` on the way, then `result` or `error`
 * with the very envelope that the request answers without streaming. The status is 200 in any case.
 */
export function streamProgress(
  c: AppContext,
  work: (
    onProgress: (done: number, total: number) => Promise<void>,
  ) => Promise<Result<Reply, Failure>>,
): Response {
  return streamSSE(c, async (stream) => {
    const outcome = await settled(c, () =>
      work(async (done, total) => {
        await stream.writeSSE({ event: "progress", data: JSON.stringify({ done, total }) });
      }),
    );
    const event = outcome.status < 400 ? "result" : "error";
    await stream.writeSSE({ event, data: await outcome.text() });
  });
}

async function settled(
  c: AppContext,
  work: () => Promise<Result<Reply, Failure>>,
): Promise<Response> {
  try {
    const outcome = await work();
    return outcome.ok ? success(c, outcome.value) : failed(c, outcome.failure);
  } catch (error) {
    return unexpected(c, error instanceof Error ? error : new Error(String(error)));
  }
}
