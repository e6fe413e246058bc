import { env } from "cloudflare:workers";
import { describe, expect, inject, it } from "vitest";
import type {
  RequestAuthorization,
  HttpConnector,
  HttpRequestTemplate,
} from "../../../../src/tools/model/connector.ts";
import type { JsonObject } from "../../../../src/kernel/json.ts";
import { createEgress } from "../../../../src/platform/egress/egress.ts";
import type { CallOutcome } from "../../../../src/tools/connectors/contract.ts";
import { callHttp } from "../../../../src/tools/connectors/http/call-http.ts";

const HOSTILE = inject("outside")["hostile"] ?? "";
const SECRET = "s3cret/key+with=signs";
const HEADER: RequestAuthorization = {
  in: "header",
  name: "Authorization",
  value: `Bearer ${SECRET}`,
};
const QUERY: RequestAuthorization = { in: "query", name: "api_key", value: SECRET };
const ECHO: HttpRequestTemplate = { method: "GET", path: "/echo" };
/** The extra time allowed for a call that ends at its limit, in case the machine is busy. */
const SLACK_MS = 3_000;

let keys = 0;

/** Returns a new key under which the server counts a test's requests. */
function freshKey(): string {
  keys += 1;
  return `http-connector-${keys}`;
}

interface Setting {
  readonly timeoutMs?: number;
  readonly headers?: Record<string, string>;
  readonly authorization?: RequestAuthorization | null;
  readonly parameters?: JsonObject;
}

function run(request: HttpRequestTemplate, setting: Setting = {}): Promise<CallOutcome> {
  const { timeoutMs = 10_000, headers = {}, authorization = null, parameters = {} } = setting;
  const connector: HttpConnector = {
    type: "http",
    baseUrl: HOSTILE,
    headers,
    timeoutMs,
    credential: null,
  };
  const call = { toolId: "hostile", capability: "c", parameters, authorization };
  return callHttp(createEgress(env), connector, request, call);
}

async function requestsUnder(key: string): Promise<number> {
  const seen = await fetch(`${HOSTILE}/seen?key=${key}`);
  const { requests } = await seen.json<{ requests: number }>();
  return requests;
}

/** Returns a call's outcome and the number of requests sent. */
async function counted(
  method: HttpRequestTemplate["method"],
  path: string,
  setting: Setting = {},
): Promise<[CallOutcome, number]> {
  const key = freshKey();
  const body = { as: "json", fields: {} } as const;
  const request = { method, path, query: { key: { value: key } }, body };
  return [await run(request, setting), await requestsUnder(key)];
}

const broken = (
  isTransient: boolean,
  reason: string | RegExp,
  retryAfterSeconds: number | null = null,
) => ({
  ok: false,
  failure: {
    kind: "upstream",
    reason: expect.stringMatching(reason),
    isTransient,
    retryAfterSeconds,
  },
});
const unhealthy = broken.bind(null, true);
const lasting = broken.bind(null, false);

describe("retries", () => {
  it.each(["429", "502", "503", "504"])(
    "a GET is retried after %s until it succeeds",
    async (code) => {
      const [outcome, requests] = await counted("GET", `/flaky?failures=2&code=${code}`);
      expect(outcome).toEqual({ ok: true, value: { status: 200, body: { ok: true, request: 3 } } });
      expect(requests).toBe(3);
    },
  );

  it("a GET is sent at most three times", async () => {
    const [outcome, requests] = await counted("GET", "/flaky?failures=3");
    expect(outcome).toMatchObject(unhealthy(/^it returned HTTP 503\.$/));
    expect(requests).toBe(3);
  });

  it("a GET is not retried after a 500, 501 or 404 response", async () => {
    for (const code of [500, 501, 404]) {
      const [outcome, requests] = await counted("GET", `/status?code=${code}`);
      expect([outcome.ok, requests]).toEqual([false, 1]);
    }
  });

  it.each(["POST", "PUT", "PATCH", "DELETE"] as const)(
    "a %s is never sent twice, whatever the response",
    async (method) => {
      for (const path of ["/status?code=503&retryAfter=0", "/status?code=429", "/reset"]) {
        const [outcome, requests] = await counted(method, path);
        expect(outcome).toMatchObject({ ok: false, failure: { kind: "upstream" } });
        expect(requests).toBe(1);
      }
    },
  );

  it("a GET is retried after a reset connection, and the failure reports it", async () => {
    const [outcome, requests] = await counted("GET", "/reset");
    expect(outcome).toMatchObject(unhealthy(/^it cannot be reached: /));
    expect(requests).toBe(3);
  });

  it("a retry waits as long as Retry-After says", async () => {
    const startedAt = Date.now();
    const [outcome, requests] = await counted("GET", "/status?code=503&retryAfter=1", {
      timeoutMs: 2_500,
    });
    expect(outcome).toMatchObject(unhealthy("HTTP 503", 1));
    expect(Date.now() - startedAt).toBeGreaterThanOrEqual(1_000);
    expect(requests).toBeGreaterThan(1);
  });

  it("retries end when the wait would exceed the call's timeout, and the failure states the wait", async () => {
    const startedAt = Date.now();
    const [outcome, requests] = await counted("GET", "/status?code=429&retryAfter=60");
    expect(outcome).toMatchObject(unhealthy("HTTP 429", 60));
    expect(requests).toBe(1);
    expect(Date.now() - startedAt).toBeLessThan(SLACK_MS);
  });

  it("a POST is not repeated after a response with Retry-After, and the failure states the wait", async () => {
    const [outcome] = await counted("POST", "/status?code=429&retryAfter=7");
    expect(outcome).toMatchObject(unhealthy("HTTP 429", 7));
  });
});

describe("a call's limits", () => {
  it.each(["/hang", "/hang-after-headers", "/hang-in-body", "/drip"])(
    "a GET request to %s ends at the call's timeout and is not repeated",
    async (path) => {
      const startedAt = Date.now();
      const [outcome, requests] = await counted("GET", path, { timeoutMs: 300 });
      expect(outcome).toEqual({
        ok: false,
        failure: { kind: "timeout", timeoutMs: 300, hadNoEffect: false },
      });
      expect(Date.now() - startedAt).toBeLessThan(300 + SLACK_MS);
      expect(requests).toBe(1);
    },
  );

  it.each(["/large", "/length-large", "/bomb", "/bomb?encoding=br"])(
    "a response of more than 1 MiB from %s fails without a retry",
    async (path) => {
      const [outcome, requests] = await counted("GET", path);
      expect(outcome).toMatchObject(lasting(/^it returned more than 1048576 bytes\.$/));
      expect(requests).toBe(1);
    },
  );

  it("a response below 1 MiB is accepted", async () => {
    const [outcome] = await counted("GET", "/json?bytes=1000000");
    expect(outcome).toMatchObject({ ok: true, value: { status: 200 } });
  });
});

describe("malformed responses", () => {
  it.each([
    ["/not-json", lasting, /^it declared JSON but sent something else\.$/],
    ["/wrong-charset", lasting, /^it declared JSON but sent something else\.$/],
    ["/deflate", lasting, /^it responded with an unsupported content encoding: "deflate"\.$/],
    ["/status?code=999", unhealthy, /^it returned HTTP 999\.$/],
    ["/redirect", lasting, /^it returned HTTP 302 without a redirect target\.$/],
    ["/redirect-loop", lasting, /^it leads to http:\S+, which redirects more than 5 times\.$/],
    ["/truncated", unhealthy, /^it cannot be reached: /],
    ["/truncated-gzip", unhealthy, /^it cannot be reached: /],
    ["/garbage", unhealthy, /^it cannot be reached: /],
  ])(
    "a malformed response from %s counts as a failure of the system",
    async (path, failure, reason) => {
      const [outcome] = await counted("GET", path, { timeoutMs: 5_000 });
      expect(outcome).toMatchObject(failure(reason));
    },
  );

  it("a redirect that cannot be followed is tried once and reported by its origin", async () => {
    const [, requests] = await counted("GET", "/redirect-loop");
    expect(requests).toBe(6);
    const other = await (await fetch(`${HOSTILE}/other-origin`)).text();
    const to = encodeURIComponent(`${other}/echo?api_key=k3y`);
    const [outcome, once] = await counted("POST", `/redirect?status=307&to=${to}`);
    expect(outcome).toMatchObject(
      lasting(
        /^it leads to (http:\S+), which is the target of a redirect from http:\S+, but request bodies are not forwarded/,
      ),
    );
    expect(JSON.stringify(outcome)).toContain(`it leads to ${other}, which`);
    expect(JSON.stringify(outcome)).not.toContain("k3y");
    expect(once).toBe(1);
  });

  it("HTML is returned as text, unless a result path requires JSON", async () => {
    const page = { status: 200, body: "<!doctype html><title>Sign in</title>" };
    const html: HttpRequestTemplate = { method: "GET", path: "/html" };
    expect(await run(html)).toEqual({ ok: true, value: { ...page, contentType: "text/html" } });
    expect(await run({ ...html, result: "$.id" })).toMatchObject(lasting(/^it did not send JSON/));
  });

  it("a response without a body returns null as its body", async () => {
    for (const [path, status] of [
      ["/empty", 200],
      ["/no-content", 204],
    ] as const) {
      expect(await run({ method: "GET", path })).toEqual({
        ok: true,
        value: { status, body: null },
      });
    }
    const head = await run({ method: "HEAD", path: "/ok" });
    expect(head).toMatchObject({
      value: { status: 200, body: null, headers: { "content-type": "application/json" } },
    });
  });
});

describe("a credential", () => {
  it("a credential takes precedence over parameters and constants in the same place", async () => {
    const request: HttpRequestTemplate = {
      method: "GET",
      path: "/echo?api_key=literal{&api_key}",
      query: { api_key: { parameter: "api_key" }, other: { value: "1" } },
    };
    const key = freshKey();
    await run(
      { ...request, query: { ...request.query, key: { value: key } } },
      { authorization: QUERY, parameters: { api_key: "mine" } },
    );
    const { last } = await (
      await fetch(`${HOSTILE}/seen?key=${key}`)
    ).json<{
      last: { path: string };
    }>();
    const sent = new URL(last.path, HOSTILE).searchParams;
    expect(sent.getAll("api_key")).toEqual([SECRET]);
    expect(sent.get("other")).toBe("1");
  });

  it.each([
    ["a header", HEADER],
    ["the query", QUERY],
    ["HTTP Basic", { in: "header", name: "Authorization", value: `Basic ${btoa(`me:${SECRET}`)}` }],
  ] as const)(
    "a credential in %s is masked wherever the system echoes it",
    async (_place, authorization) => {
      const outcome = await run(ECHO, { authorization, headers: { "X-Also": SECRET } });
      expect(outcome).toMatchObject({ ok: true, value: { status: 200 } });
      const text = JSON.stringify(outcome);
      expect(text).toContain("***");
      expect(text).not.toContain(SECRET);
      expect(text).not.toContain(encodeURIComponent(SECRET));
      expect(text).not.toContain(btoa(`me:${SECRET}`));
    },
  );

  it("a redirect to another origin gets no credential, and the error of a rejected one shows none", async () => {
    const other = await (await fetch(`${HOSTILE}/other-origin`)).text();
    const to: HttpRequestTemplate = {
      method: "GET",
      path: "/redirect",
      query: { to: { value: `${other}/echo` } },
    };
    const outcome = await run(to, {
      authorization: { in: "header", name: "X-Api-Key", value: SECRET },
    });
    expect(outcome).toMatchObject({ ok: true, value: { status: 200, body: { method: "GET" } } });
    expect(JSON.stringify(outcome)).not.toMatch(/x-api-key/i);
    const away = { value: `ftp://example.com/?k=${encodeURIComponent(SECRET)}` };
    const refused = await run({ ...to, query: { to: away } }, { authorization: QUERY });
    expect(refused).toMatchObject({ ok: false, failure: { kind: "rejected_address" } });
    expect(JSON.stringify(refused)).not.toContain(encodeURIComponent(SECRET));
  });
});

describe("mapping parameters to a request", () => {
  /** Returns the request as echoed by the server. */
  async function echoed(request: HttpRequestTemplate, setting: Setting): Promise<JsonObject> {
    const outcome = await run(request, setting);
    if (!outcome.ok) throw new Error(JSON.stringify(outcome.failure));
    return Object(outcome.value["body"]);
  }

  it("a request has default Accept and User-Agent headers, and a GET has no body", async () => {
    const parameters = { note: "x" };
    const body = { as: "json", parameter: "note" } as const;
    const seen = await echoed({ ...ECHO, body }, { parameters });
    expect(seen).toMatchObject({
      method: "GET",
      path: "/echo",
      body: "",
      headers: { accept: "application/json", "user-agent": "bosun" },
    });
    expect(Object.keys(Object(seen["headers"]))).not.toContain("content-type");
  });

  it("a form body is encoded with brackets, as Stripe requires", async () => {
    const fields = { line_items: "items", expand: "expand", note: "note" };
    const styles = { expand: { style: "deepObject", explode: true } } as const;
    const body = { as: "form", fields, styles } as const;
    const request: HttpRequestTemplate = { method: "POST", path: "/echo", body };
    const parameters = { items: [{ price: "p 1", quantity: 2 }], expand: ["customer"], note: null };
    const seen = await echoed(request, { parameters });
    expect(decodeURIComponent(String(seen["body"]))).toBe(
      "line_items[0][price]=p+1&line_items[0][quantity]=2&expand[0]=customer",
    );
    expect(seen).toMatchObject({
      headers: { "content-type": "application/x-www-form-urlencoded" },
    });
  });

  it("a multipart form is sent with its boundary in the Content-Type header", async () => {
    const fields = { title: "title", tags: "tags", meta: "meta" };
    const body = { as: "multipart", fields } as const;
    const parameters = { title: "Tide table", tags: ["a", "b"], meta: { pages: 3 } };
    const request: HttpRequestTemplate = { method: "POST", path: "/echo", body };
    const seen = await echoed(request, { parameters, headers: { "Content-Type": "text/plain" } });
    const type = String(Reflect.get(Object(seen["headers"]), "content-type"));
    const form = await new Response(String(seen["body"]), {
      headers: { "Content-Type": type },
    }).formData();
    expect([form.get("title"), form.getAll("tags")]).toEqual(["Tide table", ["a", "b"]]);
    expect(String(seen["body"])).toContain('{"pages":3}');
  });

  it("a text body is sent with the tool's own content type", async () => {
    const body = { as: "text", parameter: "csv" } as const;
    const request: HttpRequestTemplate = { method: "PUT", path: "/echo", body };
    const headers = { "Content-Type": "text/csv" };
    const seen = await echoed(request, { headers, parameters: { csv: "a,b\n1,2" } });
    expect(seen).toMatchObject({
      method: "PUT",
      body: "a,b\n1,2",
      headers: { "content-type": "text/csv" },
    });
  });

  it("a parameter that cannot be part of a URL is reported by name", async () => {
    const request: HttpRequestTemplate = { ...ECHO, query: { q: { parameter: "q" } } };
    for (const q of ["x".repeat(9_000), "\uD800", Array(200_000).fill(1)]) {
      const outcome = await run(request, { parameters: { q } });
      expect(outcome).toMatchObject({
        ok: false,
        failure: { kind: "parameters", problems: [{ path: "q" }] },
      });
    }
  });
});
