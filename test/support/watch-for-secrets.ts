import { env } from "cloudflare:workers";
import { afterAll, afterEach, expect } from "vitest";
import { listDirectoryDatabases } from "../../src/platform/d1/client.ts";
import worker from "../../src/index.ts";
import { parseEvents } from "./parse-events.ts";
import {
  resetScanner,
  scanText,
  rescanTexts,
  formatLogEntry,
  learnSecret,
  takeLeaks,
} from "./secret-scanner.ts";
import { bringsSecrets, secretsSentIn, secretsShownIn } from "./shown-once.ts";

const WATCHED = Symbol.for("bosun.tests.watched");
/** Enough rows of each table to find any stored secrets. */
const ROWS_LOOKED_AT = 200;
/** Longer request bodies contain no secrets. */
const BODY_CHARACTERS_MAX = 200_000;
/** Functions that scan the text received on each open stream since the previous scan. */
const openStreams = new Set<() => void>();

/**
 * Scans the service's output in one test file for secrets: JSON, HTML and event stream responses,
 * console lines and, at the end, the rows in D1. Call this once per file.
 */
export function watchForSecrets(): void {
  once(worker, watchAnswers);
  once(globalThis, watchConsole);
  resetScanner();
  afterEach(() => {
    scanStreams();
    rescanTexts();
    expect(takeLeaks(), "secrets were leaked").toEqual([]);
  });
  afterAll(async () => {
    await scanRows();
    expect(takeLeaks(), "secrets were leaked or stored").toEqual([]);
  });
}

/** Installs a patch only once, because test files share the runtime. */
function once(place: object, put: () => void): void {
  if (Reflect.has(place, WATCHED)) return;
  Reflect.set(place, WATCHED, true);
  put();
}

/** Patches the Worker's handler, which all test clients call. */
function watchAnswers(): void {
  const { fetch } = worker;
  worker.fetch = async (request, bindings, context) => {
    const { method, url } = request;
    const { pathname, search } = new URL(url);
    const isLookedAt = bringsSecrets(pathname) && isJson(request) && !isFuzzing();
    const brought = isLookedAt ? request.clone() : null;
    const response = await fetch(request, bindings, context);
    if (brought !== null) learnFromBody(pathname, await bodyOf(brought));
    const isFile = response.headers.has("Content-Disposition");
    const headers = JSON.stringify([...response.headers]);
    const type = response.headers.get("Content-Type") ?? "";
    const isText = /^(?:application\/(?:a2a\+)?json|text\/html)/.test(type);
    const text = isText && !isFile ? await response.clone().text() : "";
    const bodies = isJson(response) && text !== "" ? [jsonOf(text)] : [];
    const where = `${method} ${pathname}${search} → ${response.status}`;
    const rightly = rightlyIn(method, pathname, bodies);
    scanText(where, headers + text, rightly, pathname === "/openapi.json");
    if (!type.startsWith("text/event-stream") || response.body === null) return response;
    const scanEvents = (events: string): void =>
      scanText(where, events, rightlyIn(method, pathname, dataOf(events)));
    return new Response(scannedStream(response.body, scanEvents), response);
  };
}

/** Fuzz tests also send their secrets in other fields. */
const isFuzzing = (): boolean => /\/test\/fuzz\//.test(expect.getState().testPath ?? "");

const isJson = ({ headers }: Request | Response): boolean =>
  /^application\/(?:a2a\+)?json/.test(headers.get("Content-Type") ?? "");

/** Registers and returns the secrets that a response may show. */
function rightlyIn(method: string, path: string, bodies: readonly unknown[]): string[] {
  return bodies.flatMap((body) => {
    const shown = secretsShownIn(method, path, body);
    for (const secret of shown?.secrets ?? []) learnSecret(shown?.what ?? "", secret);
    return shown?.secrets ?? [];
  });
}

function dataOf(events: string): unknown[] {
  return parseEvents(events).map(({ data }) => jsonOf(data));
}

/** Passes a stream on at the reader's pace, and scans it when the stream or the test ends. */
function scannedStream(stream: ReadableStream, tell: (text: string) => void): ReadableStream {
  const reader = stream.getReader();
  const decoder = new TextDecoder();
  let text = "";
  const look = (): void => {
    tell(text);
    text = "";
  };
  const end = (): void => {
    openStreams.delete(look);
    look();
  };
  openStreams.add(look);
  return new ReadableStream(
    {
      async pull(controller): Promise<void> {
        const { done, value } = await reader.read();
        if (done) {
          end();
          controller.close();
          return;
        }
        text += decoder.decode(value, { stream: true });
        controller.enqueue(value);
      },
      cancel(reason): Promise<void> {
        end();
        return reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
}

/** Registers the secrets in the secret fields of a request body. */
export function learnFromBody(path: string, body: unknown): void {
  if (!bringsSecrets(path)) return;
  const brought = secretsSentIn(path, typeof body === "string" ? jsonOf(body) : body);
  for (const secret of brought?.secrets ?? []) learnSecret(brought?.what ?? "", secret);
}

/** Reads a request body. Returns an empty string if the client disconnects. */
async function bodyOf({ body }: Request): Promise<string> {
  let text = "";
  try {
    for await (const piece of body?.pipeThrough(new TextDecoderStream()) ?? []) {
      text += piece;
      if (text.length > BODY_CHARACTERS_MAX) break;
    }
  } catch {
    return "";
  }
  return text;
}

/** Scans the open streams. */
export function scanStreams(): void {
  for (const look of openStreams) look();
}

/** Scans each console line before it reaches the console or a test's mock. */
function watchConsole(): void {
  globalThis.console = new Proxy(console, {
    get(target, name) {
      const method: unknown = Reflect.get(target, name);
      if (typeof method !== "function" || !LEVELS.has(String(name))) return method;
      return new Proxy(method, {
        apply(real, self, given: unknown[]): unknown {
          scanText(`console.${String(name)}`, formatLogEntry(given));
          return Reflect.apply(real, self, given);
        },
      });
    },
  });
}

const LEVELS = new Set(["debug", "log", "info", "warn", "error"]);

/** Scans up to `ROWS_LOOKED_AT` rows of each D1 table, except internal and search tables. */
export async function scanRows(): Promise<void> {
  for (const database of listDirectoryDatabases(env)) await examineDatabase(database);
}

async function examineDatabase(database: D1Database): Promise<void> {
  const tables = await database
    .prepare(
      "SELECT name, sql LIKE '%WITHOUT ROWID%' AS isKeyed FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '\\_%' ESCAPE '\\' AND name NOT LIKE 'sqlite%' AND name NOT LIKE 'tools\\_%' ESCAPE '\\'",
    )
    .all<{ name: string; isKeyed: number }>();
  if (tables.results.length === 0) return;
  const looks = tables.results.map(({ name, isKeyed }) => {
    const newest = isKeyed === 1 ? "" : "ORDER BY rowid DESC";
    return database.prepare(`SELECT * FROM "${name}" ${newest} LIMIT ${ROWS_LOOKED_AT}`);
  });
  for (const [index, { results }] of (await database.batch(looks)).entries()) {
    scanText(`table ${tables.results[index]?.name}`, JSON.stringify(results));
  }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
