import type { Result } from "../../kernel/result.ts";
import type { AppContext } from "../../http/context.ts";
import { streamMessages, type SseMessage } from "../../http/streaming.ts";
import { logUnexpectedError } from "../../http/envelope.ts";
import { type A2aCallContext, admitA2aRequest } from "./call-context.ts";
import { toRequestFailure, type A2aRequestFailure } from "./failures.ts";

/** How a binding serializes results and failures over HTTP. */
export interface A2aBinding {
  readonly contentType: string;
  readonly toErrorBody: (failure: A2aRequestFailure) => object;
  /** Of a value, and of each message of a stream. */
  readonly toResultBody: (value: unknown) => unknown;
  readonly errorStatus: (failure: A2aRequestFailure) => number;
  /** Of a value; with 204 it has no body. */
  readonly successStatus: number;
}

/** Authenticates and handles a request; responds in the form of the binding. */
export async function serveA2aRequest(
  c: AppContext,
  binding: A2aBinding,
  handle: (call: A2aCallContext) => Promise<Result<unknown, A2aRequestFailure>>,
): Promise<Response> {
  const abortController = new AbortController();
  c.req.raw.signal.addEventListener("abort", () => abortController.abort());
  let isStreaming = false;
  try {
    const call = await admitA2aRequest(c, abortController.signal);
    const result = call.ok ? await handle(call.value) : call;
    if (!result.ok) return toFailureResponse(binding, result.failure);
    if (!isStream(result.value)) return toValueResponse(binding, result.value);
    if (c.req.method === "HEAD") return new Response(null);
    isStreaming = true;
    return streamMessages(c, toSseFrames(c, binding, result.value), abortController);
  } catch (error) {
    return toFailureResponse(binding, toRequestFailure(logUnexpectedError(c.req, error)));
  } finally {
    if (!isStreaming) abortController.abort();
  }
}

function toValueResponse(binding: A2aBinding, value: unknown): Response {
  const status = binding.successStatus;
  if (status === 204) return new Response(null, { status });
  const headers = { "Content-Type": binding.contentType };
  return new Response(JSON.stringify(binding.toResultBody(value)), { status, headers });
}

function toFailureResponse(binding: A2aBinding, failure: A2aRequestFailure): Response {
  return new Response(JSON.stringify(binding.toErrorBody(failure)), {
    status: binding.errorStatus(failure),
    headers: { "Content-Type": binding.contentType, ...failure.headers },
  });
}

async function* toSseFrames(
  c: AppContext,
  binding: A2aBinding,
  messages: AsyncIterable<unknown>,
): AsyncGenerator<SseMessage | null, void, undefined> {
  try {
    for await (const message of messages) {
      yield message === null ? null : { data: JSON.stringify(binding.toResultBody(message)) };
    }
  } catch (error) {
    yield {
      event: "error",
      data: JSON.stringify(binding.toErrorBody(toRequestFailure(logUnexpectedError(c.req, error)))),
    };
  }
}

function isStream(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === "object" && value !== null && Symbol.asyncIterator in value;
}
