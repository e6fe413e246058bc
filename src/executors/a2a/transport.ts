import type { AgentCard } from "@a2a-js/sdk";
import {
  Client,
  JsonRpcTransportFactory,
  RestTransportFactory,
  TenantTransportDecorator,
} from "@a2a-js/sdk/client";
import type { A2aEndpoint } from "./checkpoint.ts";
import type { RequestAuthorization } from "../../tools/model/connector.ts";
import { isWithinDepth, type Json } from "../../kernel/json.ts";
import { A2A_RESPONSE_BYTES_MAX } from "./limits.ts";
import { UPSTREAM_JSON_DEPTH_MAX } from "../../platform/limits.ts";
import { type EgressLimits, type Egress, EgressError } from "../../platform/egress/contract.ts";
import { type Redactor, createRedactor } from "../../tools/model/redaction.ts";
import { parseRetryAfter } from "../../platform/egress/retry.ts";
import { parseEventStream, serializeServerSentEvent } from "./server-sent-events.ts";
import {
  type A2aFailure,
  classifyA2aError,
  classifyA2aEgressFailure,
  createPermanentA2aFailure,
  type A2aErrorResponse,
} from "./failure.ts";
import { extractInlineBytes, InlineBytes, type InlineBytesSource } from "./inline-bytes.ts";
import { buildAuthorizedHeaders } from "../authorization.ts";

const CAUSE_DEPTH_MAX = 5;
const EVENT_STREAM = "text/event-stream";

/** What went wrong with one request. */
interface RequestFailure {
  fault: A2aFailure | null;
  refusal: A2aErrorResponse | null;
}

/**
 * The wire to one agent: the only `fetch` that the SDK gets. It sends the key to the card's origin
 * alone, and hands on nothing but JSON that is bounded, masked and without raw bytes, which are `kept`.
 */
export class A2aTransport {
  /** For the next request, all of its answer included. */
  timeoutMs = 0;
  /** The bytes of parts that came with answers: as many as one answer can bring. */
  readonly inlineBytes = new InlineBytes(A2A_RESPONSE_BYTES_MAX);

  readonly #egress: Egress;
  readonly #origin: string;
  readonly #authorization: RequestAuthorization | null;
  readonly #redaction: Redactor;
  #lastFailure: RequestFailure = { fault: null, refusal: null };

  constructor(egress: Egress, cardUrl: string, authorisation: RequestAuthorization | null) {
    this.#egress = egress;
    this.#origin = new URL(cardUrl).origin;
    this.#authorization = authorisation;
    this.#redaction = createRedactor(authorisation);
  }

  /** What an error of the last request says about the other side. */
  classifyError(error: unknown): A2aFailure {
    const fault = this.#lastFailure.fault ?? classifyA2aError(error, this.#lastFailure.refusal);
    return { ...fault, reason: this.#redaction.text(fault.reason) };
  }

  /** A file that the agent points to. */
  async fetchFile(url: string, limits: Omit<EgressLimits, "sendsSecret">, signal: AbortSignal) {
    const target = URL.parse(url);
    const headers = target === null ? null : this.#buildHeaders({ Accept: "*/*" }, target);
    if (target === null || headers === null) return null;
    const bounds = { ...limits, sendsSecret: this.#authorizationFor(target) !== null };
    const exchange = await this.#egress.send(new Request(target, { headers, signal }), bounds);
    return exchange.ok && exchange.value.status === 200 ? exchange.value : null;
  }

  readonly fetch = async (input: RequestInfo | URL, init: RequestInit = {}): Promise<Response> => {
    // A stream that was left can still fail when the next request is on its way.
    const requestFailure: RequestFailure = { fault: null, refusal: null };
    this.#lastFailure = requestFailure;
    const url = new URL(input instanceof Request ? input.url : input);
    const bounds = {
      timeoutMs: this.timeoutMs,
      bytesMax: A2A_RESPONSE_BYTES_MAX,
      sendsSecret: this.#authorizationFor(url) !== null,
    };
    const headers = this.#buildHeaders(init.headers ?? {}, url);
    if (headers === null) {
      throw recordFailure(
        requestFailure,
        createPermanentA2aFailure("it needs a key and a header that HTTP can carry."),
      );
    }
    try {
      const response = await this.#egress.createFetch(bounds)(url, { ...init, headers });
      return await this.#readResponse(response, requestFailure);
    } catch (error) {
      throw recordEgressFailure(requestFailure, error);
    }
  };

  #buildHeaders(given: HeadersInit, url: URL): Headers | null {
    return buildAuthorizedHeaders(given, this.#authorizationFor(url));
  }

  /** The key is sent to the agent's own origin only. */
  #authorizationFor(url: URL): RequestAuthorization | null {
    return url.origin === this.#origin ? this.#authorization : null;
  }

  async #readResponse(response: Response, requestFailure: RequestFailure): Promise<Response> {
    const { status } = response;
    if (!response.ok) {
      const seconds = parseRetryAfter(response.headers.get("Retry-After"), Date.now());
      requestFailure.refusal = { status, retryAfterSeconds: seconds };
      return new Response(this.#redaction.text(await response.text()), { status });
    }
    const type = response.headers.get("Content-Type")?.toLowerCase() ?? "";
    if (!type.startsWith(EVENT_STREAM) || response.body === null) {
      this.inlineBytes.deletePolled();
      return new ParsedResponse(this.#parseAnswer(await response.text(), "look", requestFailure));
    }
    return new Response(this.#rewriteStream(response.body, requestFailure), {
      headers: { "Content-Type": EVENT_STREAM },
    });
  }

  /** The same events, each read and written anew. */
  #rewriteStream(
    body: ReadableStream<Uint8Array>,
    requestFailure: RequestFailure,
  ): ReadableStream<Uint8Array> {
    const events = parseEventStream(body);
    const encoder = new TextEncoder();
    return new ReadableStream<Uint8Array>(
      {
        pull: async (controller) => {
          try {
            const { done, value } = await events.next();
            if (done === true) return controller.close();
            const text = serializeServerSentEvent(
              value.type,
              this.#parseAnswer(value.data, "stream", requestFailure),
            );
            controller.enqueue(encoder.encode(text));
          } catch (error) {
            controller.error(recordEgressFailure(requestFailure, error));
          }
        },
        cancel: async () => {
          await events.return();
        },
      },
      { highWaterMark: 0 },
    );
  }

  #parseAnswer(text: string, source: InlineBytesSource, requestFailure: RequestFailure): Json {
    const value = parseJsonText(text);
    if (value === undefined)
      throw recordFailure(requestFailure, createPermanentA2aFailure("its answer is not JSON."));
    if (!isWithinDepth(value, UPSTREAM_JSON_DEPTH_MAX)) {
      throw recordFailure(
        requestFailure,
        createPermanentA2aFailure(
          `its answer is nested more than ${UPSTREAM_JSON_DEPTH_MAX} levels deep.`,
        ),
      );
    }
    return this.#redaction.json(
      extractInlineBytes(value, (base64) => this.inlineBytes.add(base64, source)),
    );
  }
}

function recordFailure(requestFailure: RequestFailure, fault: A2aFailure): Error {
  requestFailure.fault ??= fault;
  return new Error(`a2a: ${fault.kind}`);
}

/** The same error, when its cause has been written down. */
function recordEgressFailure(requestFailure: RequestFailure, error: unknown): unknown {
  let cause = error;
  for (let depth = 0; depth < CAUSE_DEPTH_MAX && cause instanceof Error; depth += 1) {
    if (cause instanceof EgressError)
      requestFailure.fault ??= classifyA2aEgressFailure(cause.failure);
    cause = cause.cause;
  }
  return error;
}

/** An answer that has been read already: parsing it a second time would take its size in memory again. */
class ParsedResponse extends Response {
  readonly #value: Json;

  constructor(value: Json) {
    super(null);
    this.#value = value;
  }

  override json<Value>(): Promise<Value> {
    return Promise.resolve(castJson<Value>(this.#value));
  }

  override text(): Promise<string> {
    return Promise.resolve(JSON.stringify(this.#value));
  }
}

/** As with every answer's `json`, its reader says what it is, and finds out. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- as the platform declares `json`
function castJson<Value>(value: Json): Value {
  return value as Value;
}

/** `undefined` for what is not JSON. */
function parseJsonText(text: string): Json | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The SDK's client for one agent, over its own line. */
export async function createA2aClient(
  endpoint: A2aEndpoint,
  transport: A2aTransport,
): Promise<Client> {
  const { binding, url, tenant } = endpoint;
  const card = buildMinimalCard(endpoint);
  const factory = { JSONRPC: JsonRpcTransportFactory, "HTTP+JSON": RestTransportFactory }[binding];
  const sdkTransport = await new factory({ fetchImpl: transport.fetch }).create(url, card);
  const tenantTransport =
    tenant === "" ? sdkTransport : new TenantTransportDecorator(sdkTransport, tenant);
  return new Client(tenantTransport, card, { polling: true });
}

/** The SDK asks its card for nothing but the binding and whether there are streams. */
function buildMinimalCard({ url, binding, tenant, streaming }: A2aEndpoint): AgentCard {
  return {
    name: "",
    description: "",
    supportedInterfaces: [{ url, protocolBinding: binding, tenant, protocolVersion: "1.0" }],
    provider: undefined,
    version: "",
    capabilities: { streaming, extensions: [] },
    securitySchemes: {},
    securityRequirements: [],
    defaultInputModes: [],
    defaultOutputModes: [],
    skills: [],
    signatures: [],
  };
}
