import { A2A_VERSION_HEADER } from "@a2a-js/sdk";
import { VersionNotSupportedError } from "@a2a-js/sdk/errors";
import { type AppContext, requestOriginOf } from "../../http/envelope.ts";
import { isUrlTooLong } from "../../http/middleware.ts";
import { streamMessages, type SseMessage } from "../../http/streaming.ts";
import { PING_INTERVAL_MS } from "../../tasks/limits.ts";
import { preview } from "../../kernel/result.ts";
import { withTimeout } from "../../platform/promises.ts";
import { authenticateRequest } from "../../keys/authenticate.ts";
import type { A2aCallContext, A2aVersion } from "./call-context.ts";
import {
  orThrow,
  readableError,
  type RequestError,
  ServiceError,
  toRequestError,
} from "./errors.ts";
import type { A2aReply, A2aReplyStream } from "./call-method.ts";

/** How a binding sends replies and errors over HTTP. */
export interface A2aBinding {
  readonly versions: readonly A2aVersion[];
  readonly contentType: string;
  readonly toBody: (reply: A2aReply) => unknown;
  readonly toError: (error: RequestError) => { readonly status: number; readonly body: unknown };
  /** The status of a successful reply. A 204 reply has no body. */
  readonly successStatus: number;
}

/** Authenticates and handles a request. The response has the binding's format. */
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
    // Check the key before the version and every other part of the request.
    const key = orThrow(await authenticateRequest(c));
    const version = readVersion(c, binding.versions);
    if (isUrlTooLong(c)) throw toRequestError({ kind: "uri_too_long" });
    const waitUntil = (work: Promise<unknown>): void => c.executionCtx.waitUntil(work);
    const call = { env: c.env, key, version, origin: requestOriginOf(c), signal, waitUntil };
    const reply = await handle(call);
    if (!(Symbol.asyncIterator in reply)) {
      const { successStatus: status, contentType } = binding;
      if (status === 204) return new Response(null, { status });
      const headers = { "Content-Type": contentType };
      return new Response(JSON.stringify(binding.toBody(reply)), { status, headers });
    }
    // If an error occurs before the first message, the error is sent as an ordinary response.
    const first = await reply.next();
    if (c.req.method === "HEAD") return new Response(null);
    isStreaming = true;
    return streamMessages(c, toSseFrames(c, binding, first, reply), abortController);
  } catch (thrown) {
    const error = readableError(c, thrown);
    const { status, body } = binding.toError(error);
    const ownHeaders = error instanceof ServiceError ? error.headers : {};
    const headers = { "Content-Type": binding.contentType, ...ownHeaders };
    return new Response(JSON.stringify(body), { status, headers });
  } finally {
    if (!isStreaming) abortController.abort();
  }
}

/** The version from the header or the query parameter. The patch number is ignored. */
function readVersion(c: AppContext, versions: readonly A2aVersion[]): A2aVersion {
  const given = c.req.header(A2A_VERSION_HEADER) ?? c.req.query(A2A_VERSION_HEADER) ?? "";
  // A request without a version uses 0.3 (section 3.6.2).
  const minor = given === "" ? "0.3" : /^(\d+\.\d+)(?:\.\d+)?$/.exec(given)?.[1];
  const version = versions.find((one) => one === minor);
  if (version !== undefined) return version;
  const got = given === "" ? "a request without it uses version 0.3" : `got ${preview(given)}`;
  throw new VersionNotSupportedError(
    `${A2A_VERSION_HEADER} must be ${versions.join(" or ")} here; ${got}.`,
  );
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
    const { body } = binding.toError(readableError(c, thrown));
    yield { event: "error", data: JSON.stringify(body) };
  }
}

/** Whether no message arrives before the next ping is due. The SDK's streams send no pings. */
async function isLate(message: Promise<unknown>): Promise<boolean> {
  const arrived = message.then(
    () => false,
    () => false,
  );
  return withTimeout(PING_INTERVAL_MS, arrived).catch(() => true);
}
