/**
 * An upstream server that misbehaves on request. Every path accepts any method and body. Requests
 * are counted by their `?counter=` or `?key=`, and `/seen` with the same parameter returns the
 * counts and the last request.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { setTimeout as wait } from "node:timers/promises";
import { constants, createBrotliCompress, createGzip, deflateSync, gzipSync } from "node:zlib";

const MB = 1_000_000;
const LARGE_BYTES = 100 * MB;
const BOMB_BYTES = 300 * MB;
const ZEROS = Buffer.alloc(64 * 1024, "0");
const FAST = { [constants.BROTLI_PARAM_QUALITY]: 1 };
/** Closes the connection, because the malformed response would break the next request on it. */
const RAW = "HTTP/1.1 200 OK\r\nConnection: close\r\n";
const HALF = '{"half":"of a body that';

interface Seen {
  requests: number;
  /** Number of responses that are neither complete nor aborted. */
  open: number;
  bytesSent: number;
  last: { method: string; path: string; headers: object; body: string } | null;
}

interface Call {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly query: URLSearchParams;
  readonly body: string;
  readonly seen: Seen;
}

const seenByKey = new Map<string, Seen>();

const PATHS: Readonly<Record<string, (call: Call) => void | Promise<void>>> = {
  "/ok": (call) => json(call, 200, { ok: true }),
  /** Returns the request as {method, path, headers, body}. */
  "/echo": (call) => json(call, 200, call.seen.last),
  /**
   * Responds with {"error": …} and the status in `?code=` or `?status=` (500 by default).
   * `&retryAfter=` adds a `Retry-After` header.
   */
  "/status": (call) => {
    const code = number(call, statusName(call), 500);
    const retryAfter = call.query.get("retryAfter");
    json(call, code, { error: `status ${code}` }, retryAfter === null ? {} : { retryAfter });
  },
  /** A JSON array of about `?bytes=` bytes. */
  "/json": (call) => json(call, 200, Array(Math.ceil(number(call, "bytes", 1_000) / 2)).fill(0)),
  "/html": (call) => text(call, "text/html", "<!doctype html><title>Sign in</title>"),
  /** HTML labelled as JSON. */
  "/not-json": (call) => text(call, "application/json", "<!doctype html><title>Oops</title>"),
  /** JSON in Latin-1, labelled as UTF-8. */
  "/wrong-charset": ({ response }) => {
    response.setHeader("Content-Type", "application/json; charset=utf-8");
    response.end(Buffer.from('{"name":"Bl\u00e5b\u00e6r"}', "latin1"));
  },
  /** 200 without a body. */
  "/empty": ({ response }) => void response.end(),
  "/no-content": ({ response }) => void response.writeHead(204).end(),
  /** Never responds. */
  "/hang": () => {},
  /** Sends the headers, then nothing. */
  "/hang-after-headers": ({ response }) => response.flushHeaders(),
  /** Sends the headers and half of the body, then nothing. */
  "/hang-in-body": ({ response }) => void response.write(HALF),
  /** Sends one byte every `?everyMs=` milliseconds until the client disconnects. */
  "/drip": async (call) => {
    for (;;) {
      if (call.response.destroyed) return;
      call.response.write(" ");
      await wait(number(call, "everyMs", 20));
    }
  },
  /**
   * Sends `?count=` server-sent events, one every `&everyMs=` milliseconds. `&open=1` keeps the
   * stream open.
   */
  "/events": async (call) => {
    call.response.setHeader("Content-Type", "text/event-stream");
    for (let id = 1; id <= number(call, "count", 3); id += 1) {
      if (call.response.destroyed) return;
      call.response.write(`id: ${id}\ndata: {"n":${id}}\n\n`);
      await wait(number(call, "everyMs", 10));
    }
    if (!call.query.has("open")) call.response.end();
  },
  /** Resets the connection immediately. */
  "/reset": ({ request }) => void request.socket.resetAndDestroy(),
  /** Resets the connection after half of the body. */
  "/reset-after-headers": ({ request, response }) => {
    response.write(HALF, () => request.socket.resetAndDestroy());
  },
  /** Closes the connection before sending as many bytes as Content-Length states. */
  "/truncated": (call) =>
    raw(call, `${RAW}Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n${HALF}`),
  /** Closes the connection before the last chunk. */
  "/truncated-chunked": (call) =>
    raw(call, `${RAW}Transfer-Encoding: chunked\r\n\r\n5\r\n{"a":\r\n`),
  /** Half of a gzip body. */
  "/truncated-gzip": ({ response }) => {
    const whole = gzipSync(JSON.stringify(Array.from({ length: 5_000 }, (_, index) => index)));
    response.setHeader("Content-Encoding", "gzip");
    response.end(whole.subarray(0, whole.byteLength / 2));
  },
  /** A body with the content encoding deflate. */
  "/deflate": ({ response }) => {
    response.setHeader("Content-Encoding", "deflate");
    response.end(deflateSync('{"ok":true}'));
  },
  /** A response that is not HTTP. */
  "/garbage": (call) => raw(call, "SSH-2.0-OpenSSH_9.9\r\n\r\n"),
  /** Sends `?bytes=` zeros (100 MB by default), chunked and without a length. */
  "/large": (call) => stream(call, zeros(number(call, "bytes", LARGE_BYTES))),
  /** Declares a Content-Length of `?bytes=` (100 MB by default), then sends no body. */
  "/length-large": ({ request, response, query }) => {
    response.setHeader("Content-Length", query.get("bytes") ?? String(LARGE_BYTES));
    if (request.method === "HEAD") response.end();
    else response.flushHeaders();
  },
  /** Declares a Content-Length of 10 before a body of 1,000 bytes. */
  "/length-small": (call) => raw(call, `${RAW}Content-Length: 10\r\n\r\n${"0".repeat(1_000)}`),
  /** Sends 300 MB of zeros, compressed with `?encoding=` gzip (default) or br. */
  "/bomb": (call) => {
    const encoding = call.query.get("encoding") ?? "gzip";
    call.response.setHeader("Content-Encoding", encoding);
    const pack = encoding === "br" ? createBrotliCompress({ params: FAST }) : createGzip();
    return stream(call, zeros(BOMB_BYTES), pack);
  },
  /** Redirects to the URL in `?to=` with status 302 or `&status=`. */
  "/redirect": (call) => {
    // Node writes headers in Latin-1, but other servers send a non-ASCII Location as UTF-8.
    const location = call.query.get("to");
    const status = number(call, "status", 302);
    call.response.writeHead(status, location === null ? {} : { Location: utf8(location) }).end();
  },
  /** Redirects to itself. */
  "/redirect-loop": ({ request, response }) => {
    response.writeHead(302, { Location: request.url ?? "/redirect-loop" }).end();
  },
  /** Redirects `?hops=` times, the last time to /echo. */
  "/redirect-chain": (call) => {
    const hops = number(call, "hops", 1);
    call.query.set("hops", String(hops - 1));
    const next =
      hops > 1 ? `/redirect-chain?${call.query.toString()}` : `/echo?${call.query.toString()}`;
    call.response.writeHead(302, { Location: next }).end();
  },
  /**
   * Fails with the status `&code=` for the first `?failures=` requests with a key, then returns
   * 200.
   */
  "/flaky": (call) => {
    const failed = call.seen.requests <= number(call, "failures", 1);
    const code = failed ? number(call, "code", 503) : 200;
    json(call, code, { ok: !failed, request: call.seen.requests });
  },
  /** Returns the origin of a second port with the same paths. */
  "/other-origin": (call) => text(call, "text/plain", originOf(other)),
};

/**
 * The name of the status parameter. Tools cannot use `code`, a common credential name, as a
 * constant, so they use `status`.
 */
function statusName({ query }: Call): string {
  return query.has("status") ? "status" : "code";
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { pathname, searchParams: query } = new URL(request.url ?? "/", "http://hostile");
  const seen = seenUnder(query.get("counter") ?? query.get("key") ?? "");
  // {requests, open, bytesSent, last: {method, path, headers, body}}, not counting this request.
  if (pathname === "/seen") {
    response.setHeader("Content-Type", "application/json");
    response.end(JSON.stringify(seen));
    return;
  }
  seen.requests += 1;
  seen.open += 1;
  response.once("close", () => {
    seen.open -= 1;
  });
  let body = "";
  for await (const chunk of request) body += String(chunk);
  const { method = "", url: path = "", headers } = request;
  seen.last = { method, path, headers, body };
  const call: Call = { request, response, query, body, seen };
  const act = PATHS[pathname];
  await (act === undefined ? json(call, 404, { error: "no such path" }) : act(call));
}

function seenUnder(key: string): Seen {
  const seen = seenByKey.get(key) ?? { requests: 0, open: 0, bytesSent: 0, last: null };
  seenByKey.set(key, seen);
  return seen;
}

function json(
  { response }: Call,
  code: number,
  value: unknown,
  extra: { retryAfter?: string } = {},
) {
  response.statusCode = code;
  response.setHeader("Content-Type", "application/json");
  if (extra.retryAfter !== undefined) response.setHeader("Retry-After", extra.retryAfter);
  response.end(JSON.stringify(value));
}

function text({ response }: Call, mediaType: string, body: string): void {
  response.setHeader("Content-Type", mediaType);
  response.end(body);
}

/** Writes raw bytes that need not be valid HTTP, then closes the connection. */
function raw({ request }: Call, bytes: string): void {
  request.socket.end(bytes);
}

async function stream(
  { response, seen }: Call,
  from: Readable,
  pack?: ReturnType<typeof createGzip> | ReturnType<typeof createBrotliCompress>,
): Promise<void> {
  const last = pack ?? from;
  last.on("data", (chunk: Buffer) => {
    seen.bytesSent += chunk.byteLength;
  });
  await (pack === undefined ? pipeline(from, response) : pipeline(from, pack, response));
}

function zeros(bytes: number): Readable {
  return Readable.from(
    (function* chunks() {
      for (let left = bytes; left > 0; left -= ZEROS.byteLength) {
        yield left < ZEROS.byteLength ? ZEROS.subarray(0, left) : ZEROS;
      }
    })(),
  );
}

function number({ query }: Call, name: string, otherwise: number): number {
  const value = query.get(name);
  return value === null ? otherwise : Number(value);
}

function utf8(value: string): string {
  return Buffer.from(value, "utf8").toString("latin1");
}

function originOf(server: Server): string {
  return `http://127.0.0.1:${portOf(server.address())}`;
}

function portOf(address: AddressInfo | string | null): number {
  if (address === null || typeof address === "string") throw new Error("The server has no port");
  return address.port;
}

function listen(): Promise<Server> {
  const server = createServer((request, response) => {
    // Some clients are expected to disconnect early.
    answer(request, response).catch(() => response.destroy());
  });
  server.on("clientError", (_, socket) => socket.destroy());
  return new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => resolve(server));
  });
}

const [main, other] = await Promise.all([listen(), listen()]);
process.once("SIGTERM", () => process.exit(0));
console.log(`ready ${originOf(main)}`);
