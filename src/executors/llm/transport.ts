import {
  findEgressFailure,
  type Egress,
  type EgressFailure,
} from "../../platform/egress/contract.ts";
import { isJsonObject, tryParseJson } from "../../kernel/json.ts";
import { LLM_REQUEST_TIMEOUT_MS, LLM_STREAM_BYTES_MAX } from "./limits.ts";

const EVENT_STREAM = /^text\/event-stream\b/i;

/** The only `fetch` that the SDK uses. It records details of the response that the SDK may hide. */
export class LlmTransport {
  egressFailure: EgressFailure | null = null;
  contentType: string | null = null;
  /** A successful response that is one JSON object instead of an event stream. */
  unstreamedBody: string | null = null;

  readonly #send: typeof fetch;
  #replayedBody: string | null = null;

  constructor(egress: Pick<Egress, "createFetch">, sendsSecret: boolean) {
    const bounds = { timeoutMs: LLM_REQUEST_TIMEOUT_MS, bytesMax: LLM_STREAM_BYTES_MAX };
    this.#send = egress.createFetch({ ...bounds, sendsSecret });
  }

  /** Makes the next `fetch` return the unstreamed response instead of sending a request. */
  replayUnstreamed(): void {
    this.#replayedBody = this.unstreamedBody;
  }

  readonly fetch: typeof fetch = async (input, init) => {
    const replayed = this.#replayedBody;
    this.#replayedBody = null;
    if (replayed !== null)
      return new Response(replayed, { headers: { "Content-Type": "application/json" } });
    try {
      const response = await this.#send(input, init);
      this.contentType = response.headers.get("content-type");
      if (!response.ok) return response;
      const { status, headers } = response;
      let { body } = response;
      if (body !== null && EVENT_STREAM.test(this.contentType ?? "")) {
        const [peeked, whole] = body.tee();
        const first = await readFirstByte(peeked);
        // No event stream begins with `{`, so the content type is wrong.
        if (first !== OPENING_BRACE) return new Response(whole, { status, headers });
        body = whole;
      }
      const text = await new Response(body).text();
      this.unstreamedBody = isJsonObject(tryParseJson(text)) ? text : null;
      return new Response(text, { status, headers });
    } catch (error) {
      this.egressFailure = findEgressFailure(error);
      throw error;
    }
  };
}

const OPENING_BRACE = 0x7b;
/** Space, tab, line breaks, and the bytes of a byte order mark. */
const BLANK_BYTES = new Set([0x20, 0x09, 0x0a, 0x0d, 0xef, 0xbb, 0xbf]);

/** The first byte that is not blank; undefined if there is none. Reads no further. */
async function readFirstByte(body: ReadableStream<Uint8Array>): Promise<number | undefined> {
  const reader = body.getReader();
  let first: number | undefined;
  for (let done = false; !done && first === undefined;) {
    const chunk = await reader.read();
    first = chunk.value?.find((byte) => !BLANK_BYTES.has(byte));
    done = chunk.done;
  }
  // Not awaited, because the promise resolves only when the other branch ends.
  reader.cancel().catch(() => {});
  return first;
}
