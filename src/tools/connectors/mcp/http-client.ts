import { MCP_SESSION_CLOSE_TIMEOUT_MS, UPSTREAM_ERROR_BYTES_MAX } from "../../limits.ts";
import {
  type EgressLimits,
  type Egress,
  EgressError,
  findEgressFailure,
} from "../../../platform/egress/contract.ts";
import type { ConnectorFailure } from "../contract.ts";
import {
  createPermanentUpstreamFailure,
  createTransientUpstreamFailure,
  createUnsendableRequestFailure,
  toConnectorFailure,
} from "../connector-failure.ts";
import { parseRetryAfter } from "../../../platform/egress/retry.ts";
import type { RequestAuthorization } from "../../model/connector.ts";
import { fail, ok, type Result } from "../../../kernel/result.ts";

export interface McpEndpoint {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly authorization: RequestAuthorization | null;
}

/** Checks that requests to a registered server can be sent. */
export function parseMcpEndpoint(
  given: Omit<McpEndpoint, "url"> & { readonly url: string },
): Result<McpEndpoint, ConnectorFailure> {
  const { headers, authorization } = given;
  const url = URL.parse(given.url);
  if (url === null) {
    return fail({ kind: "rejected_address", url: given.url, reason: "is not a URL" });
  }
  if (!areValidHeaders(headers)) return fail(createHeaderFailure("one of the tool's headers"));
  const authorized =
    authorization?.in === "header" ? { [authorization.name]: authorization.value } : {};
  if (!areValidHeaders(authorized)) return fail(createHeaderFailure("the credential"));
  return ok({ url, headers, authorization });
}

function areValidHeaders(headers: Readonly<Record<string, string>>): boolean {
  try {
    return new Headers(headers) instanceof Headers;
  } catch {
    return false;
  }
}

function createHeaderFailure(what: string): ConnectorFailure {
  const reason = `${what} contains characters that are not allowed in HTTP headers.`;
  return createUnsendableRequestFailure(reason);
}

/** Limits that apply to all requests in a session combined. */
export interface McpSessionLimits extends Omit<EgressLimits, "sendsSecret"> {
  readonly requestsMax: number;
}

/**
 * The `fetch` of one MCP session. It applies one size limit to all responses combined, and records the first failure.
 */
export class McpHttpClient {
  readonly #firstFailed = Promise.withResolvers<ConnectorFailure>();
  /** Resolves with the first failure; never rejects. */
  readonly failure = this.#firstFailed.promise;
  firstFailure: ConnectorFailure | null = null;
  /** Whether the last response was a stream, in which the reply can still arrive. */
  isLastResponseStream = false;
  /** The delay from the `Retry-After` header of the last error response. */
  retryAfterSeconds: number | null = null;

  readonly #server: McpEndpoint;
  readonly #bounds: McpSessionLimits;
  readonly #egress: Egress;
  readonly #send: typeof fetch;
  #shutdownFetch: typeof fetch | null = null;
  readonly #shutdownRequests: Promise<Response>[] = [];
  #requests = 0;
  #bytes = 0;

  constructor(egress: Egress, server: McpEndpoint, bounds: McpSessionLimits) {
    this.#egress = egress;
    this.#server = server;
    this.#bounds = bounds;
    this.#send = egress.createFetch({ ...bounds, sendsSecret: this.#sendsSecret });
  }

  get #sendsSecret(): boolean {
    return this.#server.authorization !== null;
  }

  recordFailure(failure: ConnectorFailure): void {
    if (this.#shutdownFetch !== null) return;
    this.firstFailure ??= failure;
    this.#firstFailed.resolve(this.firstFailure);
  }

  /** From now on, ignores failures and gives requests a shorter timeout. */
  beginShutdown(): void {
    this.#shutdownFetch ??= this.#egress.createFetch({
      timeoutMs: MCP_SESSION_CLOSE_TIMEOUT_MS,
      bytesMax: UPSTREAM_ERROR_BYTES_MAX,
      sendsSecret: this.#sendsSecret,
    });
  }

  /** Waits for the shutdown requests to finish or time out. */
  async waitForShutdown(): Promise<void> {
    await Promise.allSettled(this.#shutdownRequests);
  }

  readonly fetch = async (input: string | URL, init: RequestInit = {}): Promise<Response> => {
    // Respond to GET with 405, which means that the server offers no stream for its own messages. Such a stream would
    // outlive the call. Resuming a broken stream (Last-Event-ID) is allowed.
    const headers = new Headers(init.headers);
    if (init.method === "GET" && !headers.has("last-event-id")) {
      return new Response(null, { status: 405 });
    }
    this.#requests += 1;
    const { requestsMax } = this.#bounds;
    if (this.#requests > requestsMax) {
      const reason = `it did not finish within ${requestsMax} requests.`;
      this.recordFailure(createPermanentUpstreamFailure(reason));
      throw new Error("Too many requests in one session");
    }
    const [url, authorized] = this.#authorize(new URL(input), headers);
    try {
      const send = this.#shutdownFetch ?? this.#send;
      const sent = send(url, { ...init, headers: authorized });
      if (this.#shutdownFetch !== null) this.#shutdownRequests.push(sent);
      const response = await sent;
      if (!response.ok) {
        const header = response.headers.get("retry-after");
        this.retryAfterSeconds = parseRetryAfter(header, Date.now());
      }
      const type = response.headers.get("content-type") ?? "";
      this.isLastResponseStream = type.toLowerCase().startsWith("text/event-stream");
      return this.#limitBody(response);
    } catch (error) {
      this.#recordError(error);
      throw error;
    }
  };

  /** Adds the credential, but only for the server's own origin. The SDK follows redirects only within one origin. */
  #authorize(url: URL, headers: Headers): [URL, Headers] {
    const { authorization, url: own } = this.#server;
    if (authorization === null || url.origin !== own.origin) return [url, headers];
    if (authorization.in === "header") headers.set(authorization.name, authorization.value);
    else url.searchParams.set(authorization.name, authorization.value);
    return [url, headers];
  }

  /** Wraps a response to count its bytes and record failures. */
  #limitBody(response: Response): Response {
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
          this.#recordError(error, "its response was interrupted.");
          controller.error(error);
          await reader.cancel().catch(() => {});
        }
      },
      cancel: (reason) => reader.cancel(reason),
    });
    const headers = new Headers(response.headers);
    // These headers describe the compressed bytes, but the runtime has decompressed them.
    headers.delete("content-encoding");
    headers.delete("content-length");
    return new Response(body, { status: response.status, headers });
  }

  #recordError(error: unknown, otherwise?: string): void {
    const failure = findEgressFailure(error);
    if (failure !== null) this.recordFailure(toConnectorFailure(failure));
    else if (otherwise !== undefined) this.recordFailure(createTransientUpstreamFailure(otherwise));
  }
}
