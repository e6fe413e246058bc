import { setTimeout as pause } from "node:timers/promises";
import { ROOT_KEY, type Bosun } from "./bosun.ts";
import type { Ending, Exchange, History } from "./history.ts";

/** The client's timeout: longer than any request takes unless the service is frozen. */
const PATIENCE_MS = 10_000;
const RETRY_MS = 150;

export interface Ask {
  readonly kind: string;
  readonly method: "GET" | "POST" | "PUT" | "PATCH";
  readonly path: string;
  readonly body?: object | string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly key?: string;
  readonly mark?: string;
  readonly taskId?: string;
  readonly patienceMs?: number;
}

export interface ClientResponse<Data> {
  readonly exchange: Exchange;
  /** Null unless the request was acknowledged. */
  readonly data: Data | null;
  readonly seq: number | null;
}

/** Sends requests as one named client and records each with its outcome. */
export class Client {
  readonly name: string;
  readonly history: History;
  readonly #origin: string;

  constructor(name: string, { origin }: Pick<Bosun, "origin">, history: History) {
    this.name = name;
    this.history = history;
    this.#origin = origin;
  }

  newMark(): string {
    return this.history.newMark(this.name);
  }

  /** The caller states the documented type of the data in the response. */
  async ask<Data>(ask: Ask): Promise<ClientResponse<Data>> {
    const { method, path, body, headers, key } = ask;
    const startedAt = Date.now();
    const init = {
      method,
      headers: {
        Authorization: `Bearer ${ROOT_KEY}`,
        "Content-Type": "application/json",
        // The service closes connections after five idle seconds, possibly just when one is reused.
        Connection: "close",
        ...(key === undefined ? {} : { "Idempotency-Key": key }),
        ...headers,
      },
      signal: AbortSignal.timeout(ask.patienceMs ?? PATIENCE_MS),
      ...(body === undefined
        ? {}
        : { body: typeof body === "string" ? body : JSON.stringify(body) }),
    };
    const answer = await fetch(`${this.#origin}${path}`, init)
      .then(async (response) => ({
        status: response.status,
        seq: seqIn(response.headers.get("ETag")),
        text: await response.text(),
      }))
      .catch((fault: unknown) => ({ status: null, seq: null, text: wordsOf(fault) }));
    const exchange = this.#written(ask, startedAt, answer);
    if (exchange.ending !== "acknowledged") return { exchange, data: null, seq: null };
    const { seq } = answer;
    if (ask.taskId !== undefined && seq !== null) this.#saw(ask.taskId, seq, exchange);
    const { data } = JSON.parse(answer.text) as { readonly data: Data };
    return { exchange, data, seq };
  }

  /** Retries a request while its outcome is unknown, as a client with idempotent requests does. */
  async sendWithRetries<Data>(ask: Ask, tries = 5): Promise<ClientResponse<Data>> {
    for (let tried = 1; ; tried += 1) {
      const response = await this.ask<Data>(ask);
      if (response.exchange.ending !== "unknown" || tried >= tries) return response;
      await pause(RETRY_MS * tried);
    }
  }

  #saw(taskId: string, seq: number, { startedAt, endedAt }: Exchange): void {
    const seen = { seenFrom: startedAt, seenAt: endedAt };
    this.history.sightings.push({ taskId, seq, type: null, at: null, ...seen });
  }

  #written(
    ask: Ask,
    startedAt: number,
    { status, text }: { readonly status: number | null; readonly text: string },
  ): Exchange {
    const isYes = status !== null && status < 300;
    const reason = isYes ? null : status === null ? text : codeIn(text);
    const ending = endingOf(status, reason);
    const { kind, method, path } = ask;
    const about = { key: ask.key ?? null, mark: ask.mark ?? null, taskId: ask.taskId ?? null };
    const times = { startedAt, endedAt: Date.now() };
    const body = typeof ask.body === "object" ? ask.body : null;
    const more = { body, isBrokenOff: ask.patienceMs !== undefined };
    const asked = { client: this.name, kind, method, path, ...about };
    const exchange: Exchange = { ...asked, ...more, ...times, status, ending, reason };
    this.history.exchanges.push(exchange);
    if (isYes && about.mark !== null) this.history.writes += 1;
    return exchange;
  }
}

function endingOf(status: number | null, reason: string | null): Ending {
  if (status === null || status >= 500) return "unknown";
  if (status < 300) return "acknowledged";
  // The request that holds the key, or held it when the service was killed, may have been applied.
  return reason === "IDEMPOTENCY_KEY_IN_USE" ? "unknown" : "refused";
}

function codeIn(text: string): string {
  return /"code":"([A-Z_]+)"/.exec(text)?.[1] ?? text.slice(0, 200);
}

function seqIn(entityTag: string | null): number | null {
  const seq = /^"(\d+)"$/.exec(entityTag ?? "")?.[1];
  return seq === undefined ? null : Number(seq);
}

function wordsOf(fault: unknown): string {
  if (!(fault instanceof Error)) return String(fault);
  return fault.cause instanceof Error ? `${fault.message}: ${fault.cause.message}` : fault.message;
}
