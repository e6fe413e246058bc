import type { Authorisation } from "../../../domain/connector.ts";
import type { Json } from "../../../domain/json.ts";
import { A2A_ANSWER_BYTES_MAX, ANSWER_DEPTH_MAX } from "../../../domain/limits.ts";
import { type Bounds, type Egress, EgressError } from "../../../egress/contract.ts";
import { isWithinDepth } from "../../../tools/connectors/depth.ts";
import { type Redaction, redactionOf } from "../../../secrets/redact.ts";
import { retryAfterSeconds } from "../../../tools/connectors/http/retry.ts";
import { eventsOf, writtenEvent } from "./events.ts";
import { type Fault, faultOf, faultOfEgress, lasting, type Refusal } from "./fault.ts";
import { withoutRaw } from "./inline.ts";
import { Kept, type Source } from "./kept.ts";
import { withKey } from "./headers.ts";

const CAUSES_MAX = 5;
const EVENT_STREAM = "text/event-stream";

/** What went wrong with one request. */
interface Trouble {
  fault: Fault | null;
  refusal: Refusal | null;
}

/**
 * The wire to one agent: the only `fetch` that the SDK gets. It sends the key to the card's origin
 * alone, and hands on nothing but JSON that is bounded, masked and without raw bytes, which are `kept`.
 */
export class Line {
  /** For the next request, all of its answer included. */
  timeoutMs = 0;
  /** The bytes of parts that came with answers: as many as one answer can bring. */
  readonly kept = new Kept(A2A_ANSWER_BYTES_MAX);

  readonly #egress: Egress;
  readonly #origin: string;
  readonly #authorisation: Authorisation | null;
  readonly #redaction: Redaction;
  #last: Trouble = { fault: null, refusal: null };

  constructor(egress: Egress, cardUrl: string, authorisation: Authorisation | null) {
    this.#egress = egress;
    this.#origin = new URL(cardUrl).origin;
    this.#authorisation = authorisation;
    this.#redaction = redactionOf(authorisation);
  }

  /** What an error of the last request says about the other side. */
  faultOf(error: unknown): Fault {
    const fault = this.#last.fault ?? faultOf(error, this.#last.refusal);
    return { ...fault, reason: this.#redaction.text(fault.reason) };
  }

  /** A file that the agent points to. */
  async file(url: string, limits: Omit<Bounds, "sendsSecret">, signal: AbortSignal) {
    const target = URL.parse(url);
    const headers = target === null ? null : this.#headers({ Accept: "*/*" }, target);
    if (target === null || headers === null) return null;
    const bounds = { ...limits, sendsSecret: this.#keyFor(target) !== null };
    const exchange = await this.#egress.exchange(new Request(target, { headers, signal }), bounds);
    return exchange.ok && exchange.value.status === 200 ? exchange.value : null;
  }

  readonly fetch = async (input: RequestInfo | URL, init: RequestInit = {}): Promise<Response> => {
    // A stream that was left can still fail when the next request is on its way.
    const trouble: Trouble = { fault: null, refusal: null };
    this.#last = trouble;
    const url = new URL(input instanceof Request ? input.url : input);
    const bounds = {
      timeoutMs: this.timeoutMs,
      bytesMax: A2A_ANSWER_BYTES_MAX,
      sendsSecret: this.#keyFor(url) !== null,
    };
    const headers = this.#headers(init.headers ?? {}, url);
    if (headers === null) {
      throw failed(trouble, lasting("it needs a key and a header that HTTP can carry."));
    }
    try {
      const response = await this.#egress.fetchWithin(bounds)(url, { ...init, headers });
      return await this.#answer(response, trouble);
    } catch (error) {
      throw noticed(trouble, error);
    }
  };

  #headers(given: HeadersInit, url: URL): Headers | null {
    return withKey(given, this.#keyFor(url));
  }

  /** The key is sent to the agent's own origin only. */
  #keyFor(url: URL): Authorisation | null {
    return url.origin === this.#origin ? this.#authorisation : null;
  }

  async #answer(response: Response, trouble: Trouble): Promise<Response> {
    const { status } = response;
    if (!response.ok) {
      const seconds = retryAfterSeconds(response.headers.get("Retry-After"), Date.now());
      trouble.refusal = { status, retryAfterSeconds: seconds };
      return new Response(this.#redaction.text(await response.text()), { status });
    }
    const type = response.headers.get("Content-Type")?.toLowerCase() ?? "";
    if (!type.startsWith(EVENT_STREAM) || response.body === null) {
      this.kept.forgetLooks();
      return new Read(this.#read(await response.text(), "look", trouble));
    }
    return new Response(this.#stream(response.body, trouble), {
      headers: { "Content-Type": EVENT_STREAM },
    });
  }

  /** The same events, each read and written anew. */
  #stream(body: ReadableStream<Uint8Array>, trouble: Trouble): ReadableStream<Uint8Array> {
    const events = eventsOf(body);
    const encoder = new TextEncoder();
    return new ReadableStream<Uint8Array>(
      {
        pull: async (controller) => {
          try {
            const { done, value } = await events.next();
            if (done === true) return controller.close();
            const text = writtenEvent(value.type, this.#read(value.data, "stream", trouble));
            controller.enqueue(encoder.encode(text));
          } catch (error) {
            controller.error(noticed(trouble, error));
          }
        },
        cancel: async () => {
          await events.return();
        },
      },
      { highWaterMark: 0 },
    );
  }

  #read(text: string, source: Source, trouble: Trouble): Json {
    const value = parsed(text);
    if (value === undefined) throw failed(trouble, lasting("its answer is not JSON."));
    if (!isWithinDepth(value, ANSWER_DEPTH_MAX)) {
      throw failed(
        trouble,
        lasting(`its answer is nested more than ${ANSWER_DEPTH_MAX} levels deep.`),
      );
    }
    return this.#redaction.json(withoutRaw(value, (base64) => this.kept.keep(base64, source)));
  }
}

function failed(trouble: Trouble, fault: Fault): Error {
  trouble.fault ??= fault;
  return new Error(`a2a: ${fault.kind}`);
}

/** The same error, when its cause has been written down. */
function noticed(trouble: Trouble, error: unknown): unknown {
  let cause = error;
  for (let depth = 0; depth < CAUSES_MAX && cause instanceof Error; depth += 1) {
    if (cause instanceof EgressError) trouble.fault ??= faultOfEgress(cause.fault);
    cause = cause.cause;
  }
  return error;
}

/** An answer that has been read already: parsing it a second time would take its size in memory again. */
class Read extends Response {
  readonly #value: Json;

  constructor(value: Json) {
    super(null);
    this.#value = value;
  }

  override json<Value>(): Promise<Value> {
    return Promise.resolve(asIs<Value>(this.#value));
  }

  override text(): Promise<string> {
    return Promise.resolve(JSON.stringify(this.#value));
  }
}

/** As with every answer's `json`, its reader says what it is, and finds out. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- as the platform declares `json`
function asIs<Value>(value: Json): Value {
  return value as Value;
}

/** `undefined` for what is not JSON. */
function parsed(text: string): Json | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
