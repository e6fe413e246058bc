import { MCP_FAREWELL_MS, REJECTION_BYTES_MAX } from "../../../domain/limits.ts";
import { type Bounds, type Egress, EgressError } from "../../../egress/contract.ts";
import type { CallFault } from "../contract.ts";
import { faultOfEgress, ill, lasting } from "../http/fault.ts";
import { retryAfterSeconds } from "../http/retry.ts";
import type { McpServer } from "./server.ts";

/** For all requests of a conversation together. */
export interface SessionBounds extends Omit<Bounds, "sendsSecret"> {
  readonly requestsMax: number;
}

const CAUSES_MAX = 5;

/**
 * The wire of one conversation with an MCP server: the only `fetch` that the SDK gets. It keeps the
 * bounds over all answers together, and the first fault, which the SDK may swallow or turn into text.
 */
export class Line {
  /** Comes with the first fault, never without one. */
  readonly failed: Promise<CallFault>;
  /** Whether the last answer to a request was a stream, in which the message may still come. */
  lastAnswerStreams = false;
  /** The `Retry-After` of the last refusal. */
  retryAfterSeconds: number | null = null;

  readonly #server: McpServer;
  readonly #bounds: SessionBounds;
  readonly #egress: Egress;
  readonly #send: typeof fetch;
  #farewell: typeof fetch | null = null;
  readonly #leaving: Promise<Response>[] = [];
  #requests = 0;
  #bytes = 0;
  #fault: CallFault | null = null;
  #tell: (fault: CallFault) => void = () => {};

  constructor(egress: Egress, server: McpServer, bounds: SessionBounds) {
    this.#egress = egress;
    this.#server = server;
    this.#bounds = bounds;
    this.#send = egress.fetchWithin({ ...bounds, sendsSecret: this.#sendsSecret });
    this.failed = new Promise((resolve) => {
      this.#tell = resolve;
    });
  }

  get #sendsSecret(): boolean {
    return this.#server.authorisation !== null;
  }

  get fault(): CallFault | null {
    return this.#fault;
  }

  fail(fault: CallFault): void {
    if (this.#farewell !== null) return;
    this.#fault ??= fault;
    this.#tell(this.#fault);
  }

  /** From now on faults tell nothing, and what is still sent has only a moment. */
  hangUp(): void {
    this.#farewell ??= this.#egress.fetchWithin({
      timeoutMs: MCP_FAREWELL_MS,
      bytesMax: REJECTION_BYTES_MAX,
      sendsSecret: this.#sendsSecret,
    });
  }

  /** Comes when all that was sent at the farewell has arrived, or its moment is over. */
  async left(): Promise<void> {
    await Promise.allSettled(this.#leaving);
  }

  readonly fetch = async (input: string | URL, init: RequestInit = {}): Promise<Response> => {
    // The standing stream of a server's own messages. It would outlive the call; 405 says that
    // there is none. Taking up a broken stream again (Last-Event-ID) is another matter.
    const headers = new Headers(init.headers);
    if (init.method === "GET" && !headers.has("last-event-id")) {
      return new Response(null, { status: 405 });
    }
    this.#requests += 1;
    const { requestsMax } = this.#bounds;
    if (this.#requests > requestsMax) {
      this.fail(lasting(`it took more than ${requestsMax} requests without coming to an end.`));
      throw new Error("Too many requests in one conversation");
    }
    const [url, authorised] = this.#authorised(new URL(input), headers);
    try {
      const send = this.#farewell ?? this.#send;
      const sent = send(url, { ...init, headers: authorised });
      if (this.#farewell !== null) this.#leaving.push(sent);
      const response = await sent;
      if (!response.ok) {
        const header = response.headers.get("retry-after");
        this.retryAfterSeconds = retryAfterSeconds(header, Date.now());
      }
      const type = response.headers.get("content-type") ?? "";
      this.lastAnswerStreams = type.toLowerCase().startsWith("text/event-stream");
      return this.#watched(response);
    } catch (error) {
      this.#notice(error);
      throw error;
    }
  };

  /** No other origin ever gets the credential; redirects the SDK follows within one origin alone. */
  #authorised(url: URL, headers: Headers): [URL, Headers] {
    const { authorisation, url: own } = this.#server;
    if (authorisation === null || url.origin !== own.origin) return [url, headers];
    if (authorisation.in === "header") headers.set(authorisation.name, authorisation.value);
    else url.searchParams.set(authorisation.name, authorisation.value);
    return [url, headers];
  }

  /** The same answer, its bytes counted and its breaking off noticed. */
  #watched(response: Response): Response {
    if (response.body === null) return response;
    const reader: ReadableStreamDefaultReader<Uint8Array> = response.body.getReader();
    const body = new ReadableStream<Uint8Array>({
      pull: async (controller) => {
        try {
          const { done, value } = await reader.read();
          if (done) return controller.close();
          this.#bytes += value.byteLength;
          if (this.#bytes > this.#bounds.bytesMax) {
            throw new EgressError({ kind: "too_large", bytesMax: this.#bounds.bytesMax });
          }
          controller.enqueue(value);
        } catch (error) {
          this.#notice(error, "its answer broke off.");
          controller.error(error);
          await reader.cancel().catch(() => {});
        }
      },
      cancel: (reason) => reader.cancel(reason),
    });
    const headers = new Headers(response.headers);
    // They tell of the bytes on the wire, which are unpacked by now.
    headers.delete("content-encoding");
    headers.delete("content-length");
    return new Response(body, { status: response.status, headers });
  }

  #notice(error: unknown, otherwise?: string): void {
    let cause = error;
    for (let depth = 0; depth < CAUSES_MAX && cause instanceof Error; depth += 1) {
      if (cause instanceof EgressError) return this.fail(faultOfEgress(cause.fault));
      cause = cause.cause;
    }
    if (otherwise !== undefined) this.fail(ill(otherwise));
  }
}
