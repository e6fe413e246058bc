import { beforeAll, describe, expect, inject, it } from "vitest";
import { REDIRECTS_MAX } from "../../../../src/platform/limits.ts";
import type { EgressFailure, EgressResponse } from "../../../../src/platform/egress/contract.ts";
import { createGuardedEgress, createEgress } from "../../../../src/platform/egress/egress.ts";
import { createEgressGuard } from "../../../../src/platform/egress/ssrf-guard.ts";
import type { Result } from "../../../../src/kernel/result.ts";
import { REFUSED } from "../../../platform/egress/address-corpus.ts";

const HOSTILE = inject("outside").hostile ?? "";
const BOUNDS = { timeoutMs: 10_000, bytesMax: 10_000, sendsSecret: false };
const open = createEgress({ ALLOW_PRIVATE_EGRESS: "true", DNS_RESOLVER_URL: "" });
/** Checks addresses as in production. */
const closed = createEgressGuard({
  ALLOW_PRIVATE_EGRESS: "false",
  DNS_RESOLVER_URL: `${inject("outside").resolver}/dns-query`,
});
/** Checks addresses like `closed`, except that it treats one local server as public. */
const guarded = createGuardedEgress(async (url, sendsSecret, caller) =>
  url.origin === HOSTILE ? null : closed(url, sendsSecret, caller),
);

let otherOrigin = "";
beforeAll(async () => {
  otherOrigin = await (await fetch(`${HOSTILE}/other-origin`)).text();
});

function redirectTo(to: string, parameters: Record<string, string> = {}): string {
  return `${HOSTILE}/redirect?${new URLSearchParams({ to, ...parameters }).toString()}`;
}

interface Echo {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

function echoOf(exchanged: Result<EgressResponse, EgressFailure>): Echo {
  if (!exchanged.ok) throw new Error(JSON.stringify(exchanged.failure));
  return JSON.parse(new TextDecoder().decode(exchanged.value.bytes));
}

describe("a redirect to a rejected address", () => {
  it.each(REFUSED.filter(([reason]) => !reason.source.includes("absolute URL")))(
    "a redirect to a rejected address is not followed: %s",
    async (reason, urls) => {
      for (const text of urls) {
        // Skip values that a header cannot contain, and URLs such as `http:host`, which are
        // relative.
        if (/[\0\n]/.test(text) || /^http:[/\\]?[^/\\]/i.test(text) || text.length > 8_000)
          continue;
        for (const status of ["301", "302", "303", "307", "308"]) {
          const request = new Request(redirectTo(text, { status }));
          const exchanged = await guarded.send(request, BOUNDS);
          expect(exchanged.ok ? "followed" : exchanged.failure, text).toMatchObject({
            kind: "rejected",
            because: "address",
            reason: expect.stringMatching(reason),
          });
        }
      }
    },
  );

  it("a redirect to a name that resolves to a rejected address is not followed", async () => {
    const request = new Request(
      redirectTo("https://ip-169-254-169-254.example.com/latest?k=s3cret"),
    );
    expect(await guarded.send(request, BOUNDS)).toEqual({
      ok: false,
      failure: {
        kind: "rejected",
        because: "address",
        url: "https://ip-169-254-169-254.example.com",
        reason: "points to 169.254.169.254, a cloud metadata address, which is not allowed",
      },
    });
  });

  it("a redirect to a rejected address is not followed after harmless ones", async () => {
    const last = redirectTo("http://10.0.0.1/");
    const request = new Request(redirectTo(redirectTo(redirectTo(last))));
    const exchanged = await guarded.send(request, BOUNDS);
    expect(exchanged).toMatchObject({ failure: { kind: "rejected", url: "http://10.0.0.1" } });
  });

  it("a redirect to another port on the same machine sends no request there", async () => {
    const request = new Request(redirectTo(`${otherOrigin}/ok?key=redirect-guarded`));
    expect((await guarded.send(request, BOUNDS)).ok).toBe(false);
    const seen = await (await fetch(`${HOSTILE}/seen?key=redirect-guarded`)).json();
    expect(seen).toMatchObject({ requests: 0 });
  });
});

describe("a redirect that is followed", () => {
  it("redirects are followed up to their limit and no further", async () => {
    const chain = (hops: number) => new Request(`${HOSTILE}/redirect-chain?hops=${hops}`);
    const followed = await open.send(chain(REDIRECTS_MAX), BOUNDS);
    expect(followed).toMatchObject({ ok: true, value: { url: `${HOSTILE}/echo?hops=0` } });
    const failure = {
      kind: "rejected",
      because: "redirect",
      url: HOSTILE,
      reason: `redirects more than ${REDIRECTS_MAX} times`,
    };
    expect(await open.send(chain(REDIRECTS_MAX + 1), BOUNDS)).toEqual({ ok: false, failure });
    const loop = new Request(`${HOSTILE}/redirect-loop?key=redirect-loop`);
    expect(await open.send(loop, BOUNDS)).toEqual({ ok: false, failure });
    const seen = await (await fetch(`${HOSTILE}/seen?key=redirect-loop`)).json();
    expect(seen).toMatchObject({ requests: REDIRECTS_MAX + 1 });
  });

  it.each([
    ["301", "POST", "GET", ""],
    ["302", "POST", "GET", ""],
    ["303", "POST", "GET", ""],
    ["307", "POST", "POST", "words"],
    ["308", "POST", "POST", "words"],
    ["301", "PUT", "PUT", "words"],
    ["302", "PATCH", "PATCH", "words"],
    ["303", "DELETE", "GET", ""],
    ["308", "PUT", "PUT", "words"],
  ])("a redirect with the status %s turns a %s into a %s", async (status, method, then, body) => {
    const headers = { "Content-Type": "text/plain", "X-Api-Key": "k" };
    const init: RequestInit = { method, headers, body: "words" };
    const request = new Request(redirectTo("/echo", { status }), init);
    const echo = echoOf(await open.send(request, BOUNDS));
    expect([echo.method, echo.body]).toEqual([then, body]);
    expect(echo.headers["content-type"]).toBe(body === "" ? undefined : "text/plain");
    expect(echo.headers["x-api-key"]).toBe("k");
  });

  it("a redirect keeps the method HEAD", async () => {
    const to = redirectTo("/ok?key=redirect-head", { status: "303" });
    await open.send(new Request(to, { method: "HEAD" }), BOUNDS);
    const seen = await (await fetch(`${HOSTILE}/seen?key=redirect-head`)).json();
    expect(seen).toMatchObject({ requests: 1, last: { method: "HEAD" } });
  });

  it("a redirect to another origin drops every header that could be a credential", async () => {
    const headers = {
      Accept: "application/json",
      "Accept-Language": "nb",
      "User-Agent": "Bosun",
      Authorization: "Bearer s3cret",
      Cookie: "session=s3cret",
      "Proxy-Authorization": "Basic s3cret",
      "X-Api-Key": "s3cret",
      "X-Anything": "s3cret",
    };
    const request = new Request(redirectTo(`${otherOrigin}/echo`), { headers });
    const echo = echoOf(await open.send(request, BOUNDS));
    expect(echo.headers).toMatchObject({
      accept: "application/json",
      "accept-language": "nb",
      "user-agent": "Bosun",
    });
    expect(JSON.stringify(echo)).not.toContain("s3cret");
  });

  it("credentials dropped by a redirect are not sent again, even to the first origin", async () => {
    const there = `${otherOrigin}/redirect?to=${encodeURIComponent(`${HOSTILE}/echo`)}`;
    const request = new Request(redirectTo(there), { headers: { Authorization: "Bearer s3cret" } });
    expect(JSON.stringify(echoOf(await open.send(request, BOUNDS)))).not.toContain("s3cret");
  });

  it("a redirect of a body to another origin is rejected and sends nothing there", async () => {
    for (const status of ["307", "308"]) {
      const to = redirectTo(`${otherOrigin}/echo?key=redirect-body`, { status });
      const exchanged = await open.send(new Request(to, { method: "POST", body: "x" }), BOUNDS);
      expect(exchanged).toMatchObject({
        failure: { kind: "rejected", because: "redirect", url: otherOrigin },
      });
    }
    const seen = await (await fetch(`${HOSTILE}/seen?key=redirect-body`)).json();
    expect(seen).toMatchObject({ requests: 0 });
  });

  it("a redirect of a POST to another origin is followed as a GET without the body", async () => {
    for (const status of ["301", "302", "303"]) {
      const headers = { "Content-Type": "text/plain", "X-Api-Key": "s3cret" };
      const to = redirectTo(`${otherOrigin}/echo`, { status });
      const request = new Request(to, { method: "POST", headers, body: "s3cret" });
      const echo = echoOf(await open.send(request, BOUNDS));
      expect([echo.method, echo.body]).toEqual(["GET", ""]);
      expect(echo.headers).not.toHaveProperty("content-type");
      expect(JSON.stringify(echo)).not.toContain("s3cret");
    }
  });

  it("a redirect is returned to a caller that handles redirects itself", async () => {
    const request = new Request(redirectTo("http://10.0.0.1/"), { redirect: "manual" });
    const exchanged = await guarded.send(request, BOUNDS);
    const value = exchanged.ok ? exchanged.value : null;
    expect([value?.status, value?.headers.get("Location")]).toEqual([302, "http://10.0.0.1/"]);
  });
});

describe("a redirect without a valid Location", () => {
  it("a redirect without a Location is returned as the response", async () => {
    const exchanged = await open.send(new Request(`${HOSTILE}/redirect`), BOUNDS);
    expect(exchanged).toMatchObject({ ok: true, value: { status: 302 } });
  });

  it("a redirect to an invalid URL is rejected", async () => {
    const exchanged = await open.send(new Request(redirectTo("http://[::1")), BOUNDS);
    const reason = "redirects to something that is not a URL";
    const failure = { kind: "rejected", because: "redirect", url: HOSTILE, reason };
    expect(exchanged).toEqual({ ok: false, failure });
  });
});
