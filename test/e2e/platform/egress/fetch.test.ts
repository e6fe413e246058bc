import { describe, expect, inject, it } from "vitest";
import { EgressError } from "../../../../src/platform/egress/contract.ts";
import { createEgress } from "../../../../src/platform/egress/egress.ts";

const HOSTILE = inject("outside").hostile ?? "";
const egress = createEgress({ ALLOW_PRIVATE_EGRESS: "true", DNS_RESOLVER_URL: "" });
const LONG_TIMEOUT = { timeoutMs: 10_000, bytesMax: 1_000_000, sendsSecret: false };
const SHORT_TIMEOUT = { timeoutMs: 300, bytesMax: 1_000_000, sendsSecret: false };

interface Seen {
  readonly requests: number;
  readonly open: number;
  readonly bytesSent: number;
}

async function untilClosed(key: string): Promise<Seen> {
  for (;;) {
    const seen: Seen = await (await fetch(`${HOSTILE}/seen?key=${key}`)).json();
    if (seen.open === 0) return seen;
  }
}

/** Returns the error with which a promise is rejected. */
async function rejectionOf(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  throw new Error("Nothing was thrown");
}

async function failureOf(promise: Promise<unknown>): Promise<unknown> {
  const error = await rejectionOf(promise);
  if (!(error instanceof EgressError)) throw error;
  return error.failure;
}

describe("a fetch within its limits", () => {
  it("a fetch follows a redirect and returns the response as the standard fetch does", async () => {
    const fetched = await egress.createFetch(LONG_TIMEOUT)(
      `${HOSTILE}/redirect?to=${encodeURIComponent("/echo?key=fetch")}&status=307`,
      { method: "POST", headers: { "X-Api-Key": "k" }, body: JSON.stringify({ a: 1 }) },
    );
    expect([fetched.status, fetched.ok]).toEqual([200, true]);
    expect(fetched.url).toBe(`${HOSTILE}/echo?key=fetch`);
    expect(fetched.headers.get("Content-Type")).toBe("application/json");
    expect(await fetched.json()).toMatchObject({ method: "POST", body: '{"a":1}' });
  });

  it("a fetch accepts a Request or a URL", async () => {
    const within = egress.createFetch(LONG_TIMEOUT);
    const request = new Request(`${HOSTILE}/echo`, { method: "PUT", body: "words" });
    expect(await (await within(request)).json()).toMatchObject({ method: "PUT", body: "words" });
    expect((await within(new URL(`${HOSTILE}/ok`))).status).toBe(200);
  });

  it("a fetch returns decompressed bytes without the Content-Encoding header", async () => {
    const within = egress.createFetch({ ...LONG_TIMEOUT, bytesMax: 400_000_000 });
    const fetched = await within(`${HOSTILE}/bomb?encoding=br`);
    expect(fetched.headers.get("Content-Encoding")).toBeNull();
    const reader = fetched.body?.getReader();
    expect((await reader?.read())?.value?.[0]).toBe("0".charCodeAt(0));
    await reader?.cancel();
  });

  it("a fetch without a response body returns no body", async () => {
    const within = egress.createFetch(LONG_TIMEOUT);
    expect((await within(`${HOSTILE}/no-content`)).body).toBeNull();
    expect((await within(`${HOSTILE}/ok`, { method: "HEAD" })).body).toBeNull();
    expect(await (await within(`${HOSTILE}/status?code=304`)).text()).toBe("");
  });

  it("a fetch returns a redirect to a library that follows redirects itself", async () => {
    const within = egress.createFetch(LONG_TIMEOUT);
    const fetched = await within(`${HOSTILE}/redirect?to=/ok`, { redirect: "manual" });
    expect([fetched.status, fetched.headers.get("Location")]).toEqual([302, "/ok"]);
  });

  it("a fetch passes events on one by one while the stream is still open", async () => {
    const fetched = await egress.createFetch(LONG_TIMEOUT)(
      `${HOSTILE}/events?count=3&open=1&key=sse`,
    );
    const reader = fetched.body?.pipeThrough(new TextDecoderStream()).getReader();
    let received = "";
    while (!received.includes('{"n":3}')) received += (await reader?.read())?.value ?? "";
    expect(received).toContain('{"n":1}');
    await reader?.cancel();
    expect((await untilClosed("sse")).requests).toBe(1);
  });
});

describe("a fetch beyond its limits", () => {
  it("a fetch of a rejected address throws the guard's failure", async () => {
    const closed = createEgress({ ALLOW_PRIVATE_EGRESS: "false", DNS_RESOLVER_URL: "" });
    expect(await failureOf(closed.createFetch(LONG_TIMEOUT)(`${HOSTILE}/ok?key=s3cret`))).toEqual({
      kind: "rejected",
      because: "address",
      url: HOSTILE,
      reason: "points to 127.0.0.1, a loopback address, which is not allowed",
    });
  });

  it("a fetch throws if the server hangs or resets the connection", async () => {
    const timeout = { kind: "timeout", timeoutMs: SHORT_TIMEOUT.timeoutMs };
    expect(await failureOf(egress.createFetch(SHORT_TIMEOUT)(`${HOSTILE}/hang`))).toEqual(timeout);
    expect(await failureOf(egress.createFetch(LONG_TIMEOUT)(`${HOSTILE}/reset`))).toEqual({
      kind: "unreachable",
      reason: `the connection to ${HOSTILE} failed`,
    });
  });

  it("a fetch throws for a status that no Response can have", async () => {
    expect(await failureOf(egress.createFetch(LONG_TIMEOUT)(`${HOSTILE}/status?code=999`))).toEqual(
      {
        kind: "unreachable",
        reason: "it returned status 999, which HTTP does not define",
      },
    );
  });

  it("a body that grows too large fails, and its connection is closed", async () => {
    const within = egress.createFetch(LONG_TIMEOUT);
    const fetched = await within(`${HOSTILE}/bomb?key=fetched-bomb`);
    const tooLarge = { kind: "too_large", bytesMax: LONG_TIMEOUT.bytesMax };
    expect(await failureOf(fetched.text())).toEqual(tooLarge);
    expect((await untilClosed("fetched-bomb")).requests).toBe(1);
    expect(await failureOf(within(`${HOSTILE}/length-large`))).toEqual(tooLarge);
  });

  it("an incomplete body fails", async () => {
    const fetched = await egress.createFetch(LONG_TIMEOUT)(`${HOSTILE}/truncated`);
    const reason = "the connection closed before the end of the response";
    expect(await failureOf(fetched.json())).toEqual({ kind: "unreachable", reason });
  });

  it("a body that exceeds the timeout fails, and its connection is closed", async () => {
    const fetched = await egress.createFetch(SHORT_TIMEOUT)(`${HOSTILE}/drip?key=fetched-drip`);
    const timeout = { kind: "timeout", timeoutMs: SHORT_TIMEOUT.timeoutMs };
    expect(await failureOf(fetched.text())).toEqual(timeout);
    expect((await untilClosed("fetched-drip")).requests).toBe(1);
  });

  it("all requests of a conversation share one timeout", async () => {
    const within = egress.createFetch(SHORT_TIMEOUT);
    const timeout = { kind: "timeout", timeoutMs: SHORT_TIMEOUT.timeoutMs };
    expect((await within(`${HOSTILE}/ok`)).status).toBe(200);
    expect(await failureOf(within(`${HOSTILE}/hang`))).toEqual(timeout);
    expect(await failureOf(within(`${HOSTILE}/ok?key=too-late`))).toEqual(timeout);
    expect((await untilClosed("too-late")).requests).toBe(0);
  });

  it("an unread body is released at the timeout", async () => {
    await egress.createFetch(SHORT_TIMEOUT)(`${HOSTILE}/drip?key=unread`);
    expect((await untilClosed("unread")).requests).toBe(1);
  });
});

describe("a fetch aborted by its caller", () => {
  it("an aborted fetch throws the caller's own reason, both before and during the request", async () => {
    const within = egress.createFetch(LONG_TIMEOUT);
    const reason = new Error("no longer wanted");
    const gone = AbortSignal.abort(reason);
    expect(await rejectionOf(within(`${HOSTILE}/ok`, { signal: gone }))).toBe(reason);
    const controller = new AbortController();
    const hanging = within(`${HOSTILE}/hang?key=called-off`, { signal: controller.signal });
    setTimeout(() => controller.abort(reason), 50);
    expect(await rejectionOf(hanging)).toBe(reason);
    expect((await untilClosed("called-off")).requests).toBe(1);
  });

  it("aborting a fetch ends its body and closes the connection", async () => {
    const controller = new AbortController();
    const within = egress.createFetch(LONG_TIMEOUT);
    const url = `${HOSTILE}/drip?key=called-off-body`;
    const fetched = await within(url, { signal: controller.signal });
    controller.abort();
    const reason = "the request was aborted";
    expect(await failureOf(fetched.text())).toEqual({ kind: "unreachable", reason });
    expect((await untilClosed("called-off-body")).requests).toBe(1);
  });
});
