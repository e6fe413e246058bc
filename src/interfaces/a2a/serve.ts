import type { AppContext } from "../../http/envelope.ts";
import { isUrlTooLong } from "../../http/middleware.ts";
import { streamMessages, type SseMessage } from "../../http/streaming.ts";
import { PING_INTERVAL_MS } from "../../tasks/limits.ts";
import { type A2aCallContext, type A2aVersion, admitA2aRequest } from "./call-context.ts";
import { readableError, type RequestError, ServiceError, toRequestError } from "./errors.ts";
import type { A2aReply, A2aReplyStream } from "./call-method.ts";

/** How a binding sends replies and errors over HTTP. */
export interface A2aBinding {
  readonly versions: readonly A2aVersion[];
  readonly contentType: string;
  readonly toBody: (reply: A2aReply) => unknown;
  readonly toErrorBody: (error: RequestError) => unknown;
  readonly errorStatus: (error: RequestError) => number;
  /** Of a reply; with 204 it has no body. */
  readonly successStatus: number;
}

/** Authenticates and handles a request; responds in the form of the binding. */
export async function serveA2aRequest(
  c: AppContext,
  binding: A2aBinding,
  handle: (call: A2aCallContext) => Promise<A2aReply | A2aReplyStream>,
): Promise<Response> {
  const abortController = new AbortController();
  const { signal } = abortController;
  c.req.raw.signal.addEventListener("abort", () => abortController.abort());
  let isStreaming = false;
  try {
    const call = await admitA2aRequest(c, binding.versions, signal);
    if (isUrlTooLong(c)) throw toRequestError({ kind: "uri_too_long" });
    const reply = await handle(call);
    if (!isStream(reply)) return toReplyResponse(binding, reply);
    // An error before the first message is sent without a stream.
    const first = await reply.next();
    if (c.req.method === "HEAD") return new Response(null);
    isStreaming = true;
    return streamMessages(c, toSseFrames(c, binding, first, reply), abortController);
  } catch (thrown) {
    return toErrorResponse(binding, readableError(c, thrown));
  } finally {
    if (!isStreaming) abortController.abort();
  }
}

function isStream(reply: A2aReply | A2aReplyStream): reply is A2aReplyStream {
  return Symbol.asyncIterator in reply;
}

function toReplyResponse(binding: A2aBinding, reply: A2aReply): Response {
  const status = binding.successStatus;
  if (status === 204) return new Response(null, { status });
  const headers = { "Content-Type": binding.contentType };
  return new Response(JSON.stringify(binding.toBody(reply)), { status, headers });
}

function toErrorResponse(binding: A2aBinding, error: RequestError): Response {
  const headers = error instanceof ServiceError ? error.headers : {};
  return new Response(JSON.stringify(binding.toErrorBody(error)), {
    status: binding.errorStatus(error),
    headers: { "Content-Type": binding.contentType, ...headers },
  });
}

async function* toSseFrames(
  c: AppContext,
  binding: A2aBinding,
  first: IteratorResult<A2aReply, void>,
  replies: A2aReplyStream,
): AsyncGenerator<SseMessage | null, void, undefined> {
  try {
    for (let next = first; next.done !== true;) {
      yield { data: JSON.stringify(binding.toBody(next.value)) };
      const following = replies.next();
      while (await isLate(following)) yield null;
      next = await following;
    }
  } catch (thrown) {
    const body = binding.toErrorBody(readableError(c, thrown));
    yield { event: "error", data: JSON.stringify(body) };
  }
}

/** Whether a message has not arrived by the time of a ping; the streams of the SDK have no pings. */
async function isLate(message: Promise<unknown>): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const timer = setTimeout(resolve, PING_INTERVAL_MS, true);
  const arrived = message.then(
    () => false,
    () => false,
  );
  try {
    return await Promise.race([promise, arrived]);
  } finally {
    clearTimeout(timer);
  }
}
