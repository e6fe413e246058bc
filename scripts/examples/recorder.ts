import { isDeepStrictEqual } from "node:util";
import { setTimeout as pause } from "node:timers/promises";
import { listMissing, type ListedOperation } from "./document.ts";

const POLL_MS = 100;
const PATIENCE_MS = 60_000;

/** A request for an operation. Its parameters and its JSON body are recorded. */
export interface Request {
  /** Path and query parameters by name. */
  readonly parameters?: Readonly<Record<string, string | number>>;
  readonly body?: object;
  /** A body that is not JSON. */
  readonly file?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The API key; null for none. Default: the root key. */
  readonly key?: string | null;
  /** The query string of a signed link, which is not recorded. */
  readonly signedQuery?: string;
  /** For a stream that does not end: a line. The stream is read up to the end of the message that contains it. */
  readonly lastLine?: string;
}

export interface Answer<Data> {
  readonly data: Data;
  readonly headers: Headers;
}

/** An entry in examples.json. */
export interface Entry {
  readonly parameters?: Request["parameters"];
  readonly body?: object;
  readonly responses?: Readonly<Record<string, unknown>>;
  readonly stream?: readonly string[];
}

/** Sends requests to a service and records the requests and responses. */
export class Recorder {
  readonly origin: string;
  readonly #key: string;
  readonly #operations: ReadonlyMap<string, ListedOperation>;
  readonly #entries = new Map<string, Entry>();

  constructor(origin: string, key: string, operations: readonly ListedOperation[]) {
    this.origin = origin;
    this.#key = key;
    this.#operations = new Map(operations.map((one) => [one.id, one]));
  }

  /**
   * Sends a request and records it. If the request is repeated and the status differs, the new response is added. For
   * a stream, only the stream is recorded.
   */
  async record<Data>(operationId: string, request: Request = {}): Promise<Answer<Data>> {
    const { status, text, headers } = await this.#send(operationId, request);
    const answer = toAnswer<Data>(text, headers);
    const entry = this.#entries.get(operationId) ?? {};
    if (isType(headers, "text/event-stream")) {
      this.#entries.set(operationId, { ...entry, stream: text.split("\n") });
      return answer;
    }
    const { parameters, body } = request;
    const { responses, stream, ...before } = entry;
    const sent = { ...(parameters && { parameters }), ...(body && { body }) };
    if (responses !== undefined && !isDeepStrictEqual(before, sent)) {
      throw new Error(
        `${operationId} was already recorded with a different request: ${JSON.stringify(before)}`,
      );
    }
    const hasData = this.#find(operationId).dataStatuses.includes(status);
    this.#entries.set(operationId, {
      ...sent,
      ...(hasData && { responses: { ...responses, [status]: answer.data } }),
      ...(stream && { stream }),
    });
    return answer;
  }

  /** Sends a request without recording it and returns the data of the response. `Data` is its documented type. */
  async send<Data>(operationId: string, request: Request = {}): Promise<Data> {
    const { text, headers } = await this.#send(operationId, request);
    return toAnswer<Data>(text, headers).data;
  }

  /** Repeats a request without recording it until `isWished` accepts the data. */
  async until<Data>(
    operationId: string,
    request: Request,
    isWished: (data: Data) => boolean,
  ): Promise<Data> {
    const giveUpAt = Date.now() + PATIENCE_MS;
    for (;;) {
      const data = await this.send<Data>(operationId, request);
      if (isWished(data)) return data;
      if (Date.now() > giveUpAt) {
        throw new Error(`${operationId} still returns ${JSON.stringify(data)}`);
      }
      await pause(POLL_MS);
    }
  }

  /** The entries in the order of the document. Throws an error if a documented response was not recorded. */
  entries(): Record<string, Entry> {
    const operations = [...this.#operations.values()];
    const missing = listMissing(operations, Object.fromEntries(this.#entries));
    if (missing.length > 0)
      throw new Error(`These examples are missing from the recording: ${missing.join(", ")}`);
    return Object.fromEntries(operations.map(({ id }) => [id, this.#entries.get(id) ?? {}]));
  }

  async #send(operationId: string, request: Request) {
    const { parameters = {}, body, file, key = this.#key, signedQuery = "" } = request;
    const { method, path, query } = this.#find(operationId);
    const search = new URLSearchParams(signedQuery);
    let filled = path;
    for (const [name, value] of Object.entries(parameters)) {
      const placeholder = `{${name}}`;
      if (query.includes(name)) search.set(name, String(value));
      else if (path.includes(placeholder)) {
        filled = filled.replace(placeholder, encodeURIComponent(value));
      } else throw new Error(`${operationId} has no parameter ${name}`);
    }
    const response = await fetch(`${this.origin}${filled}${search.size > 0 ? `?${search}` : ""}`, {
      method,
      redirect: "manual",
      headers: {
        ...(key !== null && { Authorization: `Bearer ${key}` }),
        ...(body && { "Content-Type": "application/json" }),
        ...request.headers,
      },
      ...(body && { body: JSON.stringify(body) }),
      ...(file !== undefined && { body: file }),
    });
    const { status, headers } = response;
    const { lastLine } = request;
    const text = await (lastLine === undefined ? response.text() : readUntil(response, lastLine));
    if (status >= 400) throw new Error(`${operationId} failed with ${status}: ${text}`);
    return { status, headers, text };
  }

  #find(operationId: string): ListedOperation {
    const operation = this.#operations.get(operationId);
    if (operation === undefined)
      throw new Error(`The OpenAPI document has no operation ${operationId}`);
    return operation;
  }
}

/** Reads a stream of messages up to the end of the message that contains a line, and closes it. */
async function readUntil({ body }: Response, line: string): Promise<string> {
  let text = "";
  for await (const chunk of body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += chunk;
    const found = text.indexOf(line);
    const end = found === -1 ? -1 : text.indexOf("\n\n", found);
    if (end !== -1) return text.slice(0, end + 2);
  }
  throw new Error(`The stream ended without the line ${line}`);
}

function toAnswer<Data>(text: string, headers: Headers): Answer<Data> {
  return { data: isType(headers, "application/json") ? JSON.parse(text).data : undefined, headers };
}

function isType(headers: Headers, type: string): boolean {
  return headers.get("Content-Type")?.startsWith(type) === true;
}
