import type { Result } from "../../kernel/result.ts";
import type { AppContext } from "../../http/context.ts";
import { streamMessages, type SseMessage } from "../../http/streaming.ts";
import { toFailure } from "../../http/envelope.ts";
import { type A2aCallContext, admitA2aRequest } from "./call-context.ts";
import { A2A_WIRE_ERRORS, toRequestFailure, type A2aRequestFailure } from "./failures.ts";
import type { A2aOperationResult } from "./operations.ts";
import type { A2aStreamFrames } from "./task-stream.ts";

/** How one of the protocol's bindings to HTTP words what comes of a request. */
export interface A2aBinding {
  readonly contentType: string;
  readonly fault: (failure: A2aRequestFailure) => object;
  /** A value, and each message of a stream. */
  readonly value: (value: unknown) => unknown;
  readonly faultStatus: (failure: A2aRequestFailure) => number;
  /** Of a value; with 204 it has no body. */
  readonly status: () => number;
}

/** Lets a request in, has it carried out, and answers in the binding's form whatever comes of it. */
export async function serveA2aRequest(
  c: AppContext,
  binding: A2aBinding,
  handle: (call: A2aCallContext) => Promise<Result<A2aOperationResult, A2aRequestFailure>>,
): Promise<Response> {
  const abortController = new AbortController();
  c.req.raw.signal.addEventListener("abort", () => abortController.abort());
  let isStreaming = false;
  try {
    const call = await admitA2aRequest(c, abortController.signal);
    const result = call.ok ? await handle(call.value) : call;
    if (!result.ok) return toFailureResponse(binding, result.failure);
    if (result.value.kind === "value") return toValueResponse(binding, result.value.value);
    if (c.req.method === "HEAD") return new Response(null);
    isStreaming = true;
    return streamMessages(c, toSseFrames(c, binding, result.value.frames), abortController);
  } catch (error) {
    return toFailureResponse(binding, toUnexpectedFailure(c, error));
  } finally {
    if (!isStreaming) abortController.abort();
  }
}

function toValueResponse(binding: A2aBinding, value: unknown): Response {
  const status = binding.status();
  if (status === 204) return new Response(null, { status });
  const headers = { "Content-Type": binding.contentType };
  return new Response(JSON.stringify(binding.value(value)), { status, headers });
}

function toFailureResponse(binding: A2aBinding, failure: A2aRequestFailure): Response {
  return new Response(JSON.stringify(binding.fault(failure)), {
    status: binding.faultStatus(failure),
    headers: { "Content-Type": binding.contentType, ...failure.headers },
  });
}

async function* toSseFrames(
  c: AppContext,
  binding: A2aBinding,
  frames: A2aStreamFrames,
): AsyncGenerator<SseMessage | null, void, undefined> {
  try {
    for await (const frame of frames) {
      yield frame === null ? null : { data: JSON.stringify(binding.value(frame)) };
    }
  } catch (error) {
    yield { event: "error", data: JSON.stringify(binding.fault(toUnexpectedFailure(c, error))) };
  }
}

/** As `unexpected` for the other routes: the log has the whole error, the client no word of it. */
function toUnexpectedFailure(c: AppContext, thrown: unknown): A2aRequestFailure {
  const error = thrown instanceof Error ? thrown : new Error(String(thrown));
  const requestId = c.get("requestId");
  console.error({
    event: "request_failed",
    requestId,
    method: c.req.method,
    path: c.req.path,
    error,
  });
  return toRequestFailure(toFailure(error));
}

/** Of a fault that concerns HTTP itself. */
export function transportStatusOf({ name }: A2aRequestFailure): number | null {
  const wire = A2A_WIRE_ERRORS[name];
  return "isHttp" in wire ? wire.status : null;
}
