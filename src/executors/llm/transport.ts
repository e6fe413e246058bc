import {
  findEgressFailure,
  type Egress,
  type EgressFailure,
} from "../../platform/egress/contract.ts";
import { isJsonObject, tryParseJson } from "../../kernel/json.ts";
import { LLM_REQUEST_TIMEOUT_MS, LLM_STREAM_BYTES_MAX } from "./limits.ts";

/** The `fetch` of one turn, and what it has observed of the response: the SDK may hide it. */
export interface LlmTransport {
  readonly fetch: typeof fetch;
  egressFailure: EgressFailure | null;
  contentType: string | null;
  /** A successful response that is one JSON object instead of an event stream. */
  unstreamedBody: string | null;
  /** Answers the next request with the unstreamed response instead of sending it. */
  replayUnstreamed(): void;
}

const EVENT_STREAM = /^text\/event-stream\b/i;

/** The only `fetch` that the SDK uses, with the limits of one response. */
export function createLlmTransport(
  egress: Pick<Egress, "createFetch">,
  sendsSecret: boolean,
): LlmTransport {
  const bounds = { timeoutMs: LLM_REQUEST_TIMEOUT_MS, bytesMax: LLM_STREAM_BYTES_MAX, sendsSecret };
  const send = egress.createFetch(bounds);
  let replayed: string | null = null;
  const transport: LlmTransport = {
    egressFailure: null,
    contentType: null,
    unstreamedBody: null,
    replayUnstreamed: () => {
      replayed = transport.unstreamedBody;
    },
    fetch: async (input, init) => {
      if (replayed !== null) {
        const body = replayed;
        replayed = null;
        return new Response(body, { headers: { "Content-Type": "application/json" } });
      }
      try {
        const response = await send(input, init);
        transport.contentType = response.headers.get("content-type");
        if (!response.ok) return response;
        const { status, headers } = response;
        if (EVENT_STREAM.test(transport.contentType ?? "")) {
          const { first, body } = await peekFirstByte(response);
          // No event stream begins with `{`, so the content type is wrong.
          if (first !== OPENING_BRACE) return new Response(body, { status, headers });
          const text = await new Response(body).text();
          transport.unstreamedBody = isJsonObject(tryParseJson(text)) ? text : null;
          return new Response(text, { status, headers });
        }
        const body = await response.text();
        transport.unstreamedBody = isJsonObject(tryParseJson(body)) ? body : null;
        return new Response(body, { status, headers });
      } catch (error) {
        transport.egressFailure = findEgressFailure(error);
        throw error;
      }
    },
  };
  return transport;
}

const OPENING_BRACE = 0x7b;
/** Space, tab, line breaks, and the bytes of a byte order mark. */
const BLANK_BYTES = new Set([0x20, 0x09, 0x0a, 0x0d, 0xef, 0xbb, 0xbf]);

/** The first byte that is not blank, and the whole body. */
async function peekFirstByte({
  body,
}: Response): Promise<{ first: number | null; body: BodyInit | null }> {
  if (body === null) return { first: null, body };
  const reader = body.getReader();
  const chunks: Uint8Array[] = [];
  let first: number | null = null;
  while (first === null) {
    const { done, value } = await reader.read();
    if (done) break;
    chunks.push(value);
    first = value.find((byte: number) => !BLANK_BYTES.has(byte)) ?? null;
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
