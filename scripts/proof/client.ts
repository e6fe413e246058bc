import { setTimeout as pause } from "node:timers/promises";
import { ROOT_KEY, type Bosun } from "./bosun.ts";
import type { WriteResult, Exchange, History } from "./history.ts";

/** The default timeout of a request. Only a frozen service should exceed it. */
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

  /** `Data` is the documented type of the data in the response. */
  async ask<Data>(ask: Ask): Promise<ClientResponse<Data>> {
    const { method, path, body, headers, key } = ask;
    const startedAt = Date.now();
    const init = {
      method,
      headers: {
        Authorization: `Bearer ${ROOT_KEY}`,
        "Content-Type": "application/json",
        // The service closes connections after five idle seconds, possibly at the moment one is reused.
        Connection: "close",
        ...(key === undefined ? {} : { "Idempotency-Key": key }),
        ...headers,
      },
      signal: AbortSignal.timeout(ask.patienceMs ?? PATIENCE_MS),
      ...(body === undefined
        ? {}
        : { body: typeof body === "string" ? body : JSON.stringify(body) }),
    };
    const response = await fetch(`${this.#origin}${path}`, init)
      .then(async (received) => ({
        status: received.status,
        seq: seqIn(received.headers.get("ETag")),
        text: await received.text(),
      }))
      .catch((error: unknown) => ({ status: null, seq: null, text: messageOf(error) }));
    const exchange = this.#record(ask, startedAt, response);
    if (exchange.result !== "acknowledged") return { exchange, data: null, seq: null };
    const { seq } = response;
    if (ask.taskId !== undefined && seq !== null)
      this.#recordObservation(ask.taskId, seq, exchange);
    const { data } = JSON.parse(response.text) as { readonly data: Data };
    return { exchange, data, seq };
  }

  /** Sends a request up to `tries` times while its outcome is unknown, as clients do with idempotent requests. */
  async sendWithRetries<Data>(ask: Ask, tries = 5): Promise<ClientResponse<Data>> {
    for (let tried = 1; ; tried += 1) {
      const response = await this.ask<Data>(ask);
      if (response.exchange.result !== "unknown" || tried >= tries) return response;
      await pause(RETRY_MS * tried);
    }
  }

  #recordObservation(taskId: string, seq: number, { startedAt, endedAt }: Exchange): void {
    const seen = { seenFrom: startedAt, seenAt: endedAt };
    this.history.observations.push({ taskId, seq, type: null, at: null, ...seen });
  }

  #record(
    ask: Ask,
    startedAt: number,
    { status, text }: { readonly status: number | null; readonly text: string },
  ): Exchange {
    const isAcknowledged = status !== null && status < 300;
    const reason = isAcknowledged ? null : status === null ? text : codeIn(text);
    const result = writeResultOf(status, reason);
    const { kind, method, path } = ask;
    const about = { key: ask.key ?? null, mark: ask.mark ?? null, taskId: ask.taskId ?? null };
    const times = { startedAt, endedAt: Date.now() };
    const body = typeof ask.body === "object" ? ask.body : null;
    const more = { body, isBrokenOff: ask.patienceMs !== undefined };
    const asked = { client: this.name, kind, method, path, ...about };
    const exchange: Exchange = { ...asked, ...more, ...times, status, result, reason };
    this.history.exchanges.push(exchange);
    if (isAcknowledged && about.mark !== null) this.history.writes += 1;
    return exchange;
  }
}

function writeResultOf(status: number | null, reason: string | null): WriteResult {
  if (status === null || status >= 500) return "unknown";
  if (status < 300) return "acknowledged";
  // The request that holds the key, or held it when the service was killed, may have been applied.
  return reason === "IDEMPOTENCY_KEY_IN_USE" ? "unknown" : "rejected";
}

function codeIn(text: string): string {
  return /"code":"([A-Z_]+)"/.exec(text)?.[1] ?? text.slice(0, 200);
}

function seqIn(entityTag: string | null): number | null {
  const seq = /^"(\d+)"$/.exec(entityTag ?? "")?.[1];
  return seq === undefined ? null : Number(seq);
}

function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message;
}
