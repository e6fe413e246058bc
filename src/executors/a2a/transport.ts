import { AgentCard } from "@a2a-js/sdk";
import { EventSourceParserStream } from "eventsource-parser/stream";
import {
  type Client,
  ClientFactory,
  JsonRpcTransportFactory,
  RestTransportFactory,
} from "@a2a-js/sdk/client";
import type { A2aEndpoint } from "./checkpoint.ts";
import type { RequestAuthorization } from "../../tools/model/connector.ts";
import { isWithinDepth, tryParseJson, type Json } from "../../kernel/json.ts";
import { A2A_RESPONSE_BYTES_MAX } from "./limits.ts";
import { UPSTREAM_JSON_DEPTH_MAX } from "../../platform/limits.ts";
import {
  type EgressLimits,
  type Egress,
  findEgressFailure,
} from "../../platform/egress/contract.ts";
import { type Redactor, createRedactor } from "../../tools/model/redaction.ts";
import { parseRetryAfter } from "../../platform/egress/retry.ts";
import {
  type A2aFailure,
  classifyA2aError,
  classifyA2aEgressFailure,
  createA2aFailure,
  type A2aErrorResponse,
} from "./failure.ts";
import { extractInlineBytes, InlineBytes, type InlineBytesSource } from "./inline-bytes.ts";
import { buildAuthorizedHeaders } from "../authorization.ts";

const EVENT_STREAM = "text/event-stream";

/** The details of one request's failure. */
interface RequestFailure {
  failure: A2aFailure | null;
  errorResponse: A2aErrorResponse | null;
}

/**
 * The only `fetch` that the SDK uses. It sends the key only to the card's origin, limits the size and depth of
 * responses, and masks secrets in them.
 */
export class A2aTransport {
  /** The timeout for the next request, including its whole response. */
  timeoutMs = 0;
  /** The bytes of the `raw` parts in responses, limited in total to the maximum size of one response. */
  readonly inlineBytes = new InlineBytes(A2A_RESPONSE_BYTES_MAX);

  readonly #egress: Egress;
  readonly #origin: string;
  readonly #authorization: RequestAuthorization | null;
  readonly #redaction: Redactor;
  #lastFailure: RequestFailure = { failure: null, errorResponse: null };

  constructor(egress: Egress, cardUrl: string, authorization: RequestAuthorization | null) {
    this.#egress = egress;
    this.#origin = new URL(cardUrl).origin;
    this.#authorization = authorization;
    this.#redaction = createRedactor(authorization);
  }

  classifyError(error: unknown): A2aFailure {
    const { failure: recorded, errorResponse } = this.#lastFailure;
    const failure = recorded ?? classifyA2aError(error, errorResponse);
    return { ...failure, reason: this.#redaction.text(failure.reason) };
  }

  async fetchFile(url: string, limits: Omit<EgressLimits, "sendsSecret">, signal: AbortSignal) {
    const target = URL.parse(url);
    if (target === null) return null;
    const authorization = this.#authorizationFor(target);
    const headers = buildAuthorizedHeaders({ Accept: "*/*" }, authorization);
    if (headers === null) return null;
    const bounds = { ...limits, sendsSecret: authorization !== null };
    const exchange = await this.#egress.send(new Request(target, { headers, signal }), bounds);
    return exchange.ok && exchange.value.status === 200 ? exchange.value : null;
  }

  readonly fetch = async (input: RequestInfo | URL, init: RequestInit = {}): Promise<Response> => {
    // Created per request, because an abandoned stream can still fail during the next request.
    const requestFailure: RequestFailure = { failure: null, errorResponse: null };
    this.#lastFailure = requestFailure;
    const url = new URL(input instanceof Request ? input.url : input);
    const authorization = this.#authorizationFor(url);
    const headers = buildAuthorizedHeaders(init.headers ?? {}, authorization);
    if (headers === null)
      throw recordFailure(requestFailure, "the key or its header name is not valid in HTTP.");
    const sendsSecret = authorization !== null;
    const bounds = { timeoutMs: this.timeoutMs, bytesMax: A2A_RESPONSE_BYTES_MAX, sendsSecret };
    try {
      const response = await this.#egress.createFetch(bounds)(url, { ...init, headers });
      return await this.#readResponse(response, requestFailure);
    } catch (error) {
      throw recordEgressFailure(requestFailure, error);
    }
  };

  /** The key is sent only to the agent's own origin. */
  #authorizationFor(url: URL): RequestAuthorization | null {
    return url.origin === this.#origin ? this.#authorization : null;
  }

  async #readResponse(response: Response, requestFailure: RequestFailure): Promise<Response> {
    const { status } = response;
    if (!response.ok) {
      const seconds = parseRetryAfter(response.headers.get("Retry-After"), Date.now());
      requestFailure.errorResponse = { status, retryAfterSeconds: seconds };
      return new Response(this.#redaction.text(await response.text()), { status });
    }
    const type = response.headers.get("Content-Type")?.toLowerCase() ?? "";
    if (!type.startsWith(EVENT_STREAM) || response.body === null) {
      this.inlineBytes.deletePolled();
      return createParsedResponse(
        this.#parseResponse(await response.text(), "poll", requestFailure),
      );
    }
    return new Response(this.#rewriteStream(response.body, requestFailure), {
      headers: { "Content-Type": EVENT_STREAM },
    });
  }

  /** The same events with their data parsed, masked and serialised again. */
  #rewriteStream(
    body: ReadableStream<Uint8Array>,
    requestFailure: RequestFailure,
  ): ReadableStream<Uint8Array> {
    const events = body
      .pipeThrough(new TextDecoderStream())
      .pipeThrough(new EventSourceParserStream())
      .getReader();
    const encoder = new TextEncoder();
    return new ReadableStream<Uint8Array>(
      {
        pull: async (controller) => {
          try {
            const { done, value } = await events.read();
            if (done) return controller.close();
            const data = this.#parseResponse(value.data, "stream", requestFailure);
            const type = value.event === undefined ? "" : `event: ${value.event}\n`;
            controller.enqueue(encoder.encode(`${type}data: ${JSON.stringify(data)}\n\n`));
          } catch (error) {
            controller.error(recordEgressFailure(requestFailure, error));
          }
        },
        cancel: (reason) => events.cancel(reason),
      },
      { highWaterMark: 0 },
    );
  }

  #parseResponse(text: string, source: InlineBytesSource, requestFailure: RequestFailure): Json {
    const value = tryParseJson(text);
    if (value === undefined) throw recordFailure(requestFailure, "its response is not JSON.");
    if (!isWithinDepth(value, UPSTREAM_JSON_DEPTH_MAX)) {
      const reason = `its response is nested more than ${UPSTREAM_JSON_DEPTH_MAX} levels deep.`;
      throw recordFailure(requestFailure, reason);
    }
    return this.#redaction.json(
      extractInlineBytes(value, (base64) => this.inlineBytes.add(base64, source)),
    );
  }
}

function recordFailure(requestFailure: RequestFailure, reason: string): Error {
  requestFailure.failure ??= createA2aFailure("permanent", reason);
  return new Error("a2a: permanent");
}

/** Records the EgressFailure that an error contains, if any, and returns the error. */
function recordEgressFailure(requestFailure: RequestFailure, error: unknown): unknown {
  const failure = findEgressFailure(error);
  if (failure !== null) requestFailure.failure ??= classifyA2aEgressFailure(failure);
  return error;
}

/** A response whose body is already parsed. Parsing it again would double the memory used. */
function createParsedResponse(value: Json): Response {
  return Object.assign(new Response(null), {
    json: () => Promise.resolve(value),
    text: () => Promise.resolve(JSON.stringify(value)),
  });
}

export function createA2aClient(
  { url, binding, tenant, streaming }: A2aEndpoint,
  { fetch: fetchImpl }: A2aTransport,
): Promise<Client> {
  const transports = [
    new JsonRpcTransportFactory({ fetchImpl }),
    new RestTransportFactory({ fetchImpl }),
  ];
  const factory = new ClientFactory({ transports, clientConfig: { polling: true } });
  // The SDK reads only these fields of the card.
  const card = AgentCard.fromJSON({
    supportedInterfaces: [{ url, protocolBinding: binding, tenant, protocolVersion: "1.0" }],
    capabilities: { streaming },
  });
  return factory.createFromAgentCard(card);
}
