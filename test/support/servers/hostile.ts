/**
 * An upstream that misbehaves on request. Every path accepts any method and body, and an optional
 * `?key=<anything>`, under which /seen returns the requests.
 *
 *   /ok                     200 {"ok": true}
 *   /echo                   200 {method, path, headers, body} of the request
 *   /status?code=           that status (500, 503, 404, 999 …) with {"error": …}; &retryAfter= adds the header
 *   /json?bytes=            200, a JSON array of about that many bytes
 *   /html                   200, an HTML page              /not-json   HTML with the media type of JSON
 *   /wrong-charset          JSON in Latin-1 that is declared as UTF-8
 *   /empty                  200 without a byte             /no-content 204
 *   /hang                   never answers                  /hang-after-headers   headers, then nothing
 *   /hang-in-body           headers and half of the body, then nothing
 *   /drip?everyMs=          one byte at a time, for ever
 *   /events?count=&everyMs= server-sent events; the stream stays open after the last when &open=1
 *   /reset                  resets the connection at once  /reset-after-headers  … after half of the body
 *   /truncated              closes before Content-Length   /truncated-chunked    … before the last chunk
 *   /truncated-gzip         half of a gzip body            /deflate   a body in an encoding few unpack
 *   /garbage                an answer that is not HTTP
 *   /large?bytes=           chunked zeros without a length, 100 MB by default
 *   /length-large?bytes=    Content-Length as given (100 MB), then nothing
 *   /length-small           Content-Length 10 before a body of 1,000 bytes
 *   /bomb?encoding=         gzip (default) or br of 300 MB zeros
 *   /redirect?to=           302 to any text; &status= another
 *   /redirect-loop          to itself                      /redirect-chain?hops= so many hops, then /echo
 *   /flaky?failures=&code=  fails so many times per key, then 200
 *   /seen?key=, ?counter=   {requests, open, bytesSent, last: {method, path, headers, body}}; does not count itself
 *   /other-origin           the origin of a second port with the same paths, as text
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
  /** Responses that are neither complete nor aborted. */
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
  "/echo": (call) => json(call, 200, call.seen.last),
  "/status": (call) => {
    const code = number(call, statusName(call), 500);
    const retryAfter = call.query.get("retryAfter");
    json(call, code, { error: `status ${code}` }, retryAfter === null ? {} : { retryAfter });
  },
  "/json": (call) => json(call, 200, Array(Math.ceil(number(call, "bytes", 1_000) / 2)).fill(0)),
  "/html": (call) => text(call, "text/html", "<!doctype html><title>Sign in</title>"),
  "/not-json": (call) => text(call, "application/json", "<!doctype html><title>Oops</title>"),
  "/wrong-charset": ({ response }) => {
    response.setHeader("Content-Type", "application/json; charset=utf-8");
    response.end(Buffer.from('{"name":"Bl\u00e5b\u00e6r"}', "latin1"));
  },
  "/empty": ({ response }) => void response.end(),
  "/no-content": ({ response }) => void response.writeHead(204).end(),
  "/hang": () => {},
  "/hang-after-headers": ({ response }) => response.flushHeaders(),
  "/hang-in-body": ({ response }) => void response.write(HALF),
  "/drip": async (call) => {
    for (;;) {
      if (call.response.destroyed) return;
      call.response.write(" ");
      await wait(number(call, "everyMs", 20));
    }
  },
  "/events": async (call) => {
    call.response.setHeader("Content-Type", "text/event-stream");
    for (let id = 1; id <= number(call, "count", 3); id += 1) {
      if (call.response.destroyed) return;
      call.response.write(`id: ${id}\ndata: {"n":${id}}\n\n`);
      await wait(number(call, "everyMs", 10));
    }
    if (!call.query.has("open")) call.response.end();
  },
  "/reset": ({ request }) => void request.socket.resetAndDestroy(),
  "/reset-after-headers": ({ request, response }) => {
    response.write(HALF, () => request.socket.resetAndDestroy());
  },
  "/truncated": (call) =>
    raw(call, `${RAW}Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n${HALF}`),
  "/truncated-chunked": (call) =>
    raw(call, `${RAW}Transfer-Encoding: chunked\r\n\r\n5\r\n{"a":\r\n`),
  "/truncated-gzip": ({ response }) => {
    const whole = gzipSync(JSON.stringify(Array.from({ length: 5_000 }, (_, index) => index)));
    response.setHeader("Content-Encoding", "gzip");
    response.end(whole.subarray(0, whole.byteLength / 2));
  },
  "/deflate": ({ response }) => {
    response.setHeader("Content-Encoding", "deflate");
    response.end(deflateSync('{"ok":true}'));
  },
  "/garbage": (call) => raw(call, "SSH-2.0-OpenSSH_9.9\r\n\r\n"),
  "/large": (call) => stream(call, zeros(number(call, "bytes", LARGE_BYTES))),
  "/length-large": ({ request, response, query }) => {
    response.setHeader("Content-Length", query.get("bytes") ?? String(LARGE_BYTES));
    if (request.method === "HEAD") response.end();
    else response.flushHeaders();
  },
  "/length-small": (call) => raw(call, `${RAW}Content-Length: 10\r\n\r\n${"0".repeat(1_000)}`),
  "/bomb": (call) => {
    const encoding = call.query.get("encoding") ?? "gzip";
    call.response.setHeader("Content-Encoding", encoding);
    const pack = encoding === "br" ? createBrotliCompress({ params: FAST }) : createGzip();
    return stream(call, zeros(BOMB_BYTES), pack);
  },
  "/redirect": (call) => {
    // Node writes headers in Latin-1; other servers send a non-ASCII Location as UTF-8.
    const location = call.query.get("to");
    const status = number(call, "status", 302);
    call.response.writeHead(status, location === null ? {} : { Location: utf8(location) }).end();
  },
  "/redirect-loop": ({ request, response }) => {
    response.writeHead(302, { Location: request.url ?? "/redirect-loop" }).end();
  },
  "/redirect-chain": (call) => {
    const hops = number(call, "hops", 1);
    call.query.set("hops", String(hops - 1));
    const next =
      hops > 1 ? `/redirect-chain?${call.query.toString()}` : `/echo?${call.query.toString()}`;
    call.response.writeHead(302, { Location: next }).end();
  },
  "/flaky": (call) => {
    const failed = call.seen.requests <= number(call, "failures", 1);
    const code = failed ? number(call, "code", 503) : 200;
    json(call, code, { ok: !failed, request: call.seen.requests });
  },
  "/other-origin": (call) => text(call, "text/plain", originOf(other)),
};

/** `status`, or `code` for tools: `code` is a common credential name, so a constant cannot have it. */
function statusName({ query }: Call): string {
  return query.has("status") ? "status" : "code";
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { pathname, searchParams: query } = new URL(request.url ?? "/", "http://hostile");
  const seen = seenUnder(query.get("counter") ?? query.get("key") ?? "");
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

/** Writes raw bytes without HTTP rules, then closes the connection. */
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
    // Clients that disconnect early are expected here.
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
