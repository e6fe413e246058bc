import { type Egress, EgressError, type EgressFault } from "../../../egress/contract.ts";
import { isJsonObject, type Json } from "../../../domain/json.ts";
import { MODEL_TIMEOUT_MS, STREAM_BYTES_MAX } from "./limits.ts";

/** What the wire has shown of an answer, which the SDK may wrap, swallow or leave out. */
export interface Wire {
  readonly fetch: typeof fetch;
  fault: EgressFault | null;
  contentType: string | null;
  /** A successful response that is one JSON object instead of an event stream. */
  unstreamed: string | null;
  /** Answers the next request with the unstreamed response instead of sending it. */
  replay(): void;
}

const CAUSES_MAX = 8;
const EVENT_STREAM = /^text\/event-stream\b/i;

/** The only `fetch` that the SDK gets: within the bounds of one answer, through the guard. */
export function wireOf(egress: Pick<Egress, "fetchWithin">, sendsSecret: boolean): Wire {
  const bounds = { timeoutMs: MODEL_TIMEOUT_MS, bytesMax: STREAM_BYTES_MAX, sendsSecret };
  const send = egress.fetchWithin(bounds);
  let replayed: string | null = null;
  const wire: Wire = {
    fault: null,
    contentType: null,
    unstreamed: null,
    replay: () => {
      replayed = wire.unstreamed;
    },
    fetch: async (input, init) => {
      if (replayed !== null) {
        const body = replayed;
        replayed = null;
        return new Response(body, { headers: { "Content-Type": "application/json" } });
      }
      try {
        const response = await send(input, init);
        wire.contentType = response.headers.get("content-type");
        if (!response.ok) return response;
        const { status, headers } = response;
        if (EVENT_STREAM.test(wire.contentType ?? "")) {
          const { first, body } = await peek(response);
          // No event stream begins with `{`, so the content type is wrong.
          if (first !== OBJECT_START) return new Response(body, { status, headers });
          const text = await new Response(body).text();
          wire.unstreamed = isObject(text) ? text : null;
          return new Response(text, { status, headers });
        }
        const body = await response.text();
        wire.unstreamed = isObject(body) ? body : null;
        return new Response(body, { status, headers });
      } catch (error) {
        wire.fault = egressFault(error);
        throw error;
      }
    },
  };
  return wire;
}

const OBJECT_START = 0x7b;
/** Space, tab, line breaks, and the bytes of a byte order mark. */
const BLANKS = new Set([0x20, 0x09, 0x0a, 0x0d, 0xef, 0xbb, 0xbf]);

/** The first byte of a body that is not in BLANKS, and the whole body. */
async function peek({ body }: Response): Promise<{ first: number | null; body: BodyInit | null }> {
  if (body === null) return { first: null, body };
  const reader = body.getReader();
  const chunks: Uint8Array[] = [];
  let first: number | null = null;
  while (first === null) {
    const { done, value } = await reader.read();
    if (done) break;
    chunks.push(value);
    first = value.find((byte: number) => !BLANKS.has(byte)) ?? null;
  }
  const whole = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const chunk = chunks.shift();
      if (chunk !== undefined) return controller.enqueue(chunk);
      const { done, value } = await reader.read();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    cancel: (reason) => reader.cancel(reason),
  });
  return { first, body: whole };
}

function isObject(body: string): boolean {
  try {
    const value: Json = JSON.parse(body);
    return isJsonObject(value);
  } catch {
    return false;
  }
}

/** The fault of the way out that an error tells of, however deep it lies; null when it tells of none. */
export function egressFault(error: unknown): EgressFault | null {
  let cause = error;
  for (let depth = 0; depth < CAUSES_MAX && cause instanceof Error; depth += 1) {
    if (cause instanceof EgressError) return cause.fault;
    cause = cause.cause;
  }
  return null;
}
