import { describe, expect, inject, it } from "vitest";
import { TOOL_RESPONSE_BYTES_MAX } from "../../../../src/tools/limits.ts";
import type {
  EgressLimits,
  EgressFailure,
  EgressResponse,
} from "../../../../src/platform/egress/contract.ts";
import { createEgress } from "../../../../src/platform/egress/egress.ts";
import type { Result } from "../../../../src/kernel/result.ts";

const HOSTILE = inject("outside").hostile ?? "";
const egress = createEgress({ ALLOW_PRIVATE_EGRESS: "true", DNS_RESOLVER_URL: "" });
/** Limits with a timeout that only a hanging request reaches. */
const LONG_TIMEOUT: EgressLimits = {
  timeoutMs: 10_000,
  bytesMax: TOOL_RESPONSE_BYTES_MAX,
  sendsSecret: false,
};
/** Limits for responses that never complete. */
const SHORT_TIMEOUT: EgressLimits = {
  timeoutMs: 300,
  bytesMax: TOOL_RESPONSE_BYTES_MAX,
  sendsSecret: false,
};
/**
 * More than the cap, because the runtime and the sockets buffer some bytes, but far less than what
 * is sent.
 */
const READ_AHEAD_BYTES_MAX = 16 * TOOL_RESPONSE_BYTES_MAX;

function send(
  path: string,
  bounds: EgressLimits = LONG_TIMEOUT,
  init: RequestInit = {},
): Promise<Result<EgressResponse, EgressFailure>> {
  return egress.send(new Request(`${HOSTILE}${path}`, init), bounds);
}

async function sent(
  path: string,
  bounds?: EgressLimits,
  init?: RequestInit,
): Promise<EgressResponse> {
  const exchanged = await send(path, bounds, init);
  if (!exchanged.ok) throw new Error(JSON.stringify(exchanged.failure));
  return exchanged.value;
}

interface Seen {
  readonly requests: number;
  readonly open: number;
  readonly bytesSent: number;
}

async function seen(key: string): Promise<Seen> {
  return (await fetch(`${HOSTILE}/seen?key=${key}`)).json();
}

/**
 * Waits until the server detects that the connection has closed, which the client notices slightly
 * earlier.
 */
async function untilClosed(key: string): Promise<Seen> {
  for (;;) {
    const now = await seen(key);
    if (now.open === 0) return now;
  }
}

function text({ bytes }: EgressResponse): string {
  return new TextDecoder().decode(bytes);
}

describe("a response within its limits", () => {
  it("a response is returned completely, with its status, headers and URL", async () => {
    const exchange = await sent("/ok?key=bounds-whole");
    expect(exchange.status).toBe(200);
    expect(exchange.headers.get("Content-Type")).toBe("application/json");
    expect(text(exchange)).toBe('{"ok":true}');
    expect(exchange.url).toBe(`${HOSTILE}/ok?key=bounds-whole`);
  });

  it("a response is returned with any status", async () => {
    for (const code of [404, 500, 503, 599, 600, 999]) {
      const exchange = await sent(`/status?code=${code}&retryAfter=7`);
      expect([exchange.status, exchange.headers.get("Retry-After")]).toEqual([code, "7"]);
    }
  });

  it("a response may have no body", async () => {
    const bodiless = ["/empty", "/no-content"].map((path) => sent(path));
    for (const { bytes } of await Promise.all(bodiless)) expect(bytes.byteLength).toBe(0);
  });

  it("a HEAD response may announce a large body", async () => {
    const exchange = await sent("/length-large", LONG_TIMEOUT, { method: "HEAD" });
    expect([exchange.status, exchange.bytes.byteLength]).toEqual([200, 0]);
  });

  it("a response may be as large as the limit, but not one byte larger", async () => {
    const bytesMax = 100_000;
    const exchange = await sent(`/large?bytes=${bytesMax}`, { ...LONG_TIMEOUT, bytesMax });
    expect(exchange.bytes.byteLength).toBe(bytesMax);
    const more = await send(`/large?bytes=${bytesMax + 1}`, { ...LONG_TIMEOUT, bytesMax });
    expect(more).toEqual({ ok: false, failure: { kind: "too_large", bytesMax } });
  });

  it("a body is returned as bytes, with any content type", async () => {
    expect(text(await sent("/not-json"))).toContain("<!doctype html>");
    expect((await sent("/wrong-charset")).bytes).toContain(0xe5);
    const deflate = await sent("/deflate");
    expect(deflate.headers.get("Content-Encoding")).toBe("deflate");
  });

  it("a request keeps its method, headers and body, without the headers of the connection", async () => {
    const headers = { "X-Api-Key": "k", "Content-Type": "text/plain", Upgrade: "websocket" };
    const exchange = await sent("/echo", LONG_TIMEOUT, { method: "PUT", headers, body: "words" });
    const echo = JSON.parse(text(exchange));
    expect(echo).toMatchObject({ method: "PUT", path: "/echo", body: "words" });
    expect(echo.headers).toMatchObject({ "x-api-key": "k", "content-type": "text/plain" });
    expect(echo.headers).not.toHaveProperty("upgrade");
  });
});

describe("a response that is too large", () => {
  const failure = { kind: "too_large", bytesMax: TOOL_RESPONSE_BYTES_MAX };

  it.each([
    ["100 MB without a length", "/large?key=bounds-large"],
    ["a gzip bomb", "/bomb?key=bounds-gzip&encoding=gzip"],
    ["a brotli bomb", "/bomb?key=bounds-br&encoding=br"],
  ])("a response that is too large is stopped near the limit: %s", async (_, path) => {
    expect(await send(path)).toEqual({ ok: false, failure });
    const key = new URL(path, HOSTILE).searchParams.get("key") ?? "";
    expect((await untilClosed(key)).bytesSent).toBeLessThan(READ_AHEAD_BYTES_MAX);
  });

  it("a response that announces too large a body is rejected without being read", async () => {
    // The body never arrives, so a client that waited for it would time out.
    expect(await send("/length-large?key=bounds-announced")).toEqual({ ok: false, failure });
    expect((await untilClosed("bounds-announced")).requests).toBe(1);
  });
});

describe("a response that takes too long", () => {
  it.each([
    ["never comes", "/hang?key=bounds-hang"],
    ["stops after the headers", "/hang-after-headers?key=bounds-headers"],
    ["stops in the body", "/hang-in-body?key=bounds-body"],
    ["drips forever", "/drip?everyMs=10&key=bounds-drip"],
    ["comes too late after a redirect", "/redirect?to=/hang?key=bounds-redirected"],
  ])("a request whose response %s ends at the timeout", async (_, path) => {
    const failure = { kind: "timeout", timeoutMs: SHORT_TIMEOUT.timeoutMs };
    expect(await send(path, SHORT_TIMEOUT)).toEqual({ ok: false, failure });
    const key = /key=([\w-]+)/.exec(path)?.[1] ?? "";
    expect((await untilClosed(key)).requests).toBe(1);
  });

  it("requests that hang do not delay another request", async () => {
    const hanging = Array.from({ length: 20 }, (_, index) =>
      send(`/hang?n=${index}`, SHORT_TIMEOUT),
    );
    expect(await Promise.race([...hanging, send("/ok")])).toMatchObject({ value: { status: 200 } });
    for (const exchanged of await Promise.all(hanging)) expect(exchanged.ok).toBe(false);
  });
});

describe("a response that is cut off", () => {
  it.each([
    "/reset",
    "/reset-after-headers",
    "/truncated",
    "/truncated-chunked",
    "/truncated-gzip",
    "/garbage",
  ])("a response that is cut off makes the system unreachable: %s", async (path) => {
    const failure = {
      kind: "unreachable",
      reason: expect.stringMatching(/connection closed|failed/),
    };
    expect(await send(`${path}?secret=s3cret`)).toEqual({ ok: false, failure });
  });

  it("a closed port makes the system unreachable", async () => {
    const request = new Request("http://127.0.0.1:1/path?key=s3cret");
    const reason = "the connection to http://127.0.0.1:1 failed";
    const failure = { kind: "unreachable", reason };
    expect(await egress.send(request, LONG_TIMEOUT)).toEqual({ ok: false, failure });
  });

  it("a body that is longer than its Content-Length is truncated to that length", async () => {
    expect((await sent("/length-small")).bytes.byteLength).toBe(10);
  });
});

describe("the guard that allows private addresses", () => {
  it("a guard that allows private addresses still accepts only http and https, without passwords", async () => {
    for (const url of ["ftp://127.0.0.1/", "file:///etc/passwd", "ws://127.0.0.1/"]) {
      const checked = await egress.checkUrl(url, false);
      expect(checked.ok ? "" : checked.failure).toMatch(/^must start with https:\/\/ or http:/);
    }
    const checked = await egress.checkUrl("http://user:secret@127.0.0.1/", false);
    expect(checked.ok ? "" : checked.failure).toMatch(/^must not contain a user name/);
    expect(await egress.checkUrl(`${HOSTILE}/ok`, false)).toEqual({
      ok: true,
      value: new URL(`${HOSTILE}/ok`),
    });
  });

  it("the guard allows private addresses only for the value 'true'", async () => {
    for (const word of ["", "1", "TRUE", "yes", "false"]) {
      const closed = createEgress({ ALLOW_PRIVATE_EGRESS: word, DNS_RESOLVER_URL: "" });
      const exchanged = await closed.send(new Request(`${HOSTILE}/ok`), LONG_TIMEOUT);
      expect(exchanged).toMatchObject({ ok: false, failure: { kind: "rejected" } });
    }
  });
});
