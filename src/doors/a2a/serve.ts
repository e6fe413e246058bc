import type { Result } from "../../domain/result.ts";
import type { AppContext } from "../../http/context.ts";
import { streamFrames, type Frame } from "../../http/stream.ts";
import { failureBehind } from "../../http/unexpected.ts";
import type { Door } from "./door.ts";
import { enter } from "./enter.ts";
import { FAULTS, faultOfFailure, type Fault } from "./faults.ts";
import type { Done } from "./operations.ts";
import type { Frames } from "./stream.ts";

/** How one of the protocol's bindings to HTTP words what comes of a request. */
export interface Binding {
  readonly contentType: string;
  readonly fault: (fault: Fault) => object;
  /** A value, and each message of a stream. */
  readonly value: (value: unknown) => unknown;
  readonly faultStatus: (fault: Fault) => number;
  /** Of a value; with 204 it has no body. */
  readonly status: () => number;
}

/** Lets a request in, has it carried out, and answers in the binding's form whatever comes of it. */
export async function serve(
  c: AppContext,
  binding: Binding,
  call: (door: Door) => Promise<Result<Done, Fault>>,
): Promise<Response> {
  const over = new AbortController();
  c.req.raw.signal.addEventListener("abort", () => over.abort());
  let isStreaming = false;
  try {
    const door = await enter(c, over.signal);
    const done = door.ok ? await call(door.value) : door;
    if (!done.ok) return refused(binding, done.failure);
    if (done.value.kind === "value") return answered(binding, done.value.value);
    if (c.req.method === "HEAD") return new Response(null);
    isStreaming = true;
    return streamFrames(c, framed(c, binding, done.value.frames), over);
  } catch (error) {
    return refused(binding, unforeseen(c, error));
  } finally {
    if (!isStreaming) over.abort();
  }
}

function answered(binding: Binding, value: unknown): Response {
  const status = binding.status();
  if (status === 204) return new Response(null, { status });
  const headers = { "Content-Type": binding.contentType };
  return new Response(JSON.stringify(binding.value(value)), { status, headers });
}

function refused(binding: Binding, fault: Fault): Response {
  return new Response(JSON.stringify(binding.fault(fault)), {
    status: binding.faultStatus(fault),
    headers: { "Content-Type": binding.contentType, ...fault.headers },
  });
}

async function* framed(
  c: AppContext,
  binding: Binding,
  frames: Frames,
): AsyncGenerator<Frame | null, void, undefined> {
  try {
    for await (const frame of frames) {
      yield frame === null ? null : { data: JSON.stringify(binding.value(frame)) };
    }
  } catch (error) {
    yield { event: "error", data: JSON.stringify(binding.fault(unforeseen(c, error))) };
  }
}

/** As `unexpected` for the other routes: the log has the whole error, the client no word of it. */
function unforeseen(c: AppContext, thrown: unknown): Fault {
  const error = thrown instanceof Error ? thrown : new Error(String(thrown));
  const requestId = c.get("requestId");
  console.error({
    event: "request_failed",
    requestId,
    method: c.req.method,
    path: c.req.path,
    error,
  });
  return faultOfFailure(failureBehind(error));
}

/** Of a fault that concerns HTTP itself. */
export function httpStatus({ name }: Fault): number | null {
  const wire = FAULTS[name];
  return "isHttp" in wire ? wire.status : null;
}
