import { describe, expect, it } from "vitest";
import type {
  RequestAuthorization,
  HttpRequestTemplate,
} from "../../../../src/tools/model/connector.ts";
import type { Json } from "../../../../src/kernel/json.ts";
import type { CallOutcome } from "../../../../src/tools/connectors/contract.ts";
import { toHttpCallOutcome } from "../../../../src/tools/connectors/http/response.ts";
import { createRedactor } from "../../../../src/tools/model/redaction.ts";
import { selectByJsonPath } from "../../../../src/tools/schema/json-path.ts";

const SECRET = "a secret/with+signs";
const KEY: RequestAuthorization = { in: "header", name: "X-Api-Key", value: SECRET };
const GET: HttpRequestTemplate = { method: "GET", path: "/" };

interface Sent {
  readonly status?: number;
  readonly type?: string | null;
  readonly headers?: Record<string, string>;
  readonly body?: string | Uint8Array<ArrayBuffer>;
  readonly request?: HttpRequestTemplate;
  readonly authorization?: RequestAuthorization | null;
  readonly retryAfterSeconds?: number;
}

async function judged(sent: Sent): Promise<CallOutcome> {
  const { status = 200, type = "application/json", headers = {}, body = "" } = sent;
  const bytes = typeof body === "string" ? new TextEncoder().encode(body) : body;
  const all = new Headers({ ...headers, ...(type === null ? {} : { "Content-Type": type }) });
  const exchange = { status, headers: all, bytes, url: "https://api.example.com/" };
  const redaction = createRedactor(sent.authorization ?? KEY);
  return toHttpCallOutcome(
    exchange,
    sent.request ?? GET,
    redaction,
    sent.retryAfterSeconds ?? null,
  );
}

const done = (value: object) => ({ ok: true, value });
const failure = (value: unknown) => ({ ok: false, failure: value });

describe("a response", () => {
  it.each<[string, Json]>([
    ['{"a":[1,"x",null]}', { a: [1, "x", null] }],
    ["\uFEFF[1]", [1]],
    ["7", 7],
    ["null", null],
    ['{"id":12345678901234567890}', { id: 12345678901234567000 }],
  ])("the JSON response %s is returned as its value", async (body, value) => {
    for (const type of [
      "application/json",
      "application/problem+json; charset=utf-8",
      "TEXT/JSON",
    ]) {
      expect(await judged({ type, body })).toEqual(done({ status: 200, body: value }));
    }
  });

  it("a text response is decoded with its charset, or as UTF-8 if the charset is unknown", async () => {
    const contentType = "text/csv; charset=iso-8859-1";
    const body = new Uint8Array([0x42, 0xe5]);
    const expected = { status: 200, body: "Bå", contentType };
    expect(await judged({ type: contentType, body })).toEqual(done(expected));
    const unknown = "text/plain; charset=klingon";
    const fallback = { status: 200, body: "å", contentType: unknown };
    expect(await judged({ type: unknown, body: "å" })).toEqual(done(fallback));
  });

  it("a binary response is returned as base64", async () => {
    const body = new Uint8Array(20_000).map((_, index) => index % 256);
    const outcome = await judged({ type: "image/png", body });
    expect(outcome).toEqual(
      done({
        status: 200,
        body: Buffer.from(body).toString("base64"),
        encoding: "base64",
        contentType: "image/png",
      }),
    );
  });

  it("a response without a content type is returned as text if it can be decoded, otherwise as base64", async () => {
    expect(await judged({ type: null, body: "hello" })).toEqual(
      done({ status: 200, body: "hello" }),
    );
    const bytes = new Uint8Array([0xff, 0x00]);
    expect(await judged({ type: null, body: bytes })).toMatchObject({
      value: { encoding: "base64" },
    });
  });

  it("a result has the Location, Link and ETag headers, and no others", async () => {
    const headers = { Location: "/pets/7", Link: '</p?2>; rel="next"', ETag: '"1"', Server: "x" };
    const given = { location: "/pets/7", link: '</p?2>; rel="next"', etag: '"1"' };
    const outcome = await judged({ status: 201, headers, body: "{}" });
    expect(outcome).toEqual(done({ status: 201, body: {}, headers: given }));
  });

  it("a 304 response is a result without a body", async () => {
    expect(await judged({ status: 304 })).toEqual(done({ status: 304, body: null }));
  });

  it("JSON that is nested too deeply or malformed is a permanent failure", async () => {
    const reason = expect.stringMatching(/^it sent JSON nested deeper than 100 levels\.$/);
    const broken = {
      kind: "upstream",
      isTransient: false,
      hadNoEffect: false,
      retryAfterSeconds: null,
      details: null,
    };
    const deep = "[".repeat(200_000) + "]".repeat(200_000);
    expect(await judged({ body: deep })).toEqual(failure({ ...broken, reason }));
    const promised = "it declared JSON but sent something else.";
    for (const body of ["{", "<html>", new Uint8Array([0x22, 0xff, 0x22])]) {
      expect(await judged({ body })).toEqual(failure({ ...broken, reason: promised }));
    }
  });
});

describe("an error response", () => {
  it("a 401 response is reported as unauthorized, with the credential masked in its body", async () => {
    const body = JSON.stringify({ error: "expired", key: SECRET });
    expect(await judged({ status: 401, body })).toEqual(
      failure({
        kind: "unauthorized",
        reason: "it returned HTTP 401 and requires valid credentials.",
        details: { status: 401, body: { error: "expired", key: "***" } },
      }),
    );
  });

  it.each([400, 403, 404, 409, 422, 499])(
    "a %i response is a rejection with the body of the response",
    async (status) => {
      const body = '{"error":{"field":"name"}}';
      expect(await judged({ status, body })).toEqual(
        failure({
          kind: "rejected",
          reason: `it returned HTTP ${status}.`,
          details: { status, body: { error: { field: "name" } } },
        }),
      );
    },
  );

  it("an error body is masked, then cut to 2 KiB without splitting a character", async () => {
    const text = `${"å".repeat(1_022)}abc${SECRET}`;
    const outcome = await judged({ status: 400, type: "text/plain", body: text });
    const details = { status: 400, body: `${"å".repeat(1_022)}abc*…` };
    expect(outcome).toMatchObject(failure({ kind: "rejected", details }));
    const long = await judged({ status: 400, type: "text/plain", body: "å".repeat(2_000) + "x" });
    expect(long).toMatchObject(failure({ details: { body: `${"å".repeat(1_024)}…` } }));
    const odd = await judged({ status: 400, type: "text/plain", body: `x${"å".repeat(2_000)}` });
    expect(odd).toMatchObject(failure({ details: { body: `x${"å".repeat(1_023)}…` } }));
  });

  it("a 404 response with malformed, binary or empty content is still a rejection", async () => {
    for (const [type, body, reported] of [
      ["application/json", "nope", "nope"],
      ["image/png", "\u0001", null],
      [null, "", null],
    ] as const) {
      const outcome = await judged({ status: 404, type, body });
      expect(outcome).toMatchObject(
        failure({ kind: "rejected", details: { status: 404, body: reported } }),
      );
    }
  });

  it.each([429, 500, 503, 599])(
    "a %i response is a transient failure with the masked body of the response",
    async (status) => {
      const body = JSON.stringify({ error: `no ${SECRET}` });
      expect(await judged({ status, body })).toEqual(
        failure({
          kind: "upstream",
          reason: `it returned HTTP ${status}.`,
          isTransient: true,
          hadNoEffect: status === 429,
          retryAfterSeconds: null,
          details: { status, body: { error: "no ***" } },
        }),
      );
    },
  );

  it("a 503 response with Retry-After counts as not executed; 500, 502 and 504 do not", async () => {
    expect(await judged({ status: 503, retryAfterSeconds: 7 })).toMatchObject(
      failure({ hadNoEffect: true, retryAfterSeconds: 7 }),
    );
    for (const status of [500, 502, 504]) {
      const outcome = await judged({ status, retryAfterSeconds: 7 });
      expect(outcome).toMatchObject(failure({ hadNoEffect: false, retryAfterSeconds: 7 }));
    }
  });
});

describe("an echoed credential", () => {
  it("an echoed credential is masked in text, names, numbers, headers and bytes", async () => {
    const body = JSON.stringify({ [SECRET]: [SECRET, { x: `key=${SECRET}!` }] });
    expect(
      await judged({ body, headers: { Location: `/?k=${encodeURIComponent(SECRET)}` } }),
    ).toEqual(
      done({
        status: 200,
        body: { "***": ["***", { x: "key=***!" }] },
        headers: { location: "/?k=***" },
      }),
    );
    const bytes = await judged({ type: "image/png", body: `\u0001${SECRET}` });
    expect(bytes).toMatchObject(done({ body: btoa("\u0001***") }));
    const authorization: RequestAuthorization = { in: "query", name: "k", value: "12345678" };
    expect(await judged({ authorization, body: "[12345678,123456789]" })).toEqual(
      done({ status: 200, body: ["***", 123456789] }),
    );
  });

  it.each([
    [`Bearer ${SECRET}`, SECRET],
    [`Bearer ${SECRET}`, new URLSearchParams({ k: SECRET }).toString().slice(2)],
    [`Basic ${btoa("me:pass word")}`, "pass word"],
    [`Basic ${btoa("me:pass word")}`, btoa("me:pass word")],
    ['quo"ted\\', JSON.stringify('quo"ted\\').slice(1, -1)],
  ])("the credential %s is masked when echoed as %s", async (value, echo) => {
    const authorization: RequestAuthorization = { in: "header", name: "Authorization", value };
    const outcome = await judged({ authorization, type: "text/plain", body: `<${echo}>` });
    expect(outcome).toMatchObject(done({ body: "<***>" }));
  });
});

describe("a result path", () => {
  const DOCUMENT: Json = { items: [{ id: 1, on: true }, { id: 2 }], none: null, name: "x" };

  it.each<[string, Json]>([
    ["$", DOCUMENT],
    ["$.name", "x"],
    ["$.items[1].id", 2],
    ["$.items[9].id", null],
    ["$.none", null],
    ["$.items", [{ id: 1, on: true }, { id: 2 }]],
    ["$.items[*].id", [1, 2]],
    ["$.items[?@.on].id", [1]],
    ["$.items[?@.id > 5].id", []],
    ["$..id", [1, 2]],
    ['$.items[?match(@.id, "1")]', []],
    ['$[?search(@, "^x")]', ["x"]],
  ])("the result path %s selects %j", (path, value) => {
    expect(selectByJsonPath(path, DOCUMENT)).toEqual({ ok: true, value });
  });

  it("a malformed or too costly result path is reported as a tool error", () => {
    const list: Json = Array(20_000).fill(0);
    expect(selectByJsonPath("$.[", DOCUMENT)).toMatchObject(
      failure(expect.stringMatching(/is not valid JSONPath/)),
    );
    expect(selectByJsonPath("$[*]", list)).toMatchObject(
      failure(expect.stringMatching(/more than 10000/)),
    );
    const hostile = `${"a".repeat(50)}!`;
    expect(selectByJsonPath('$[?match(@, "(a+)+b")]', [hostile])).toEqual({ ok: true, value: [] });
    expect(selectByJsonPath("$[?count($[?@ == 1]) > 1]", list)).toMatchObject(
      failure(expect.stringMatching(/takes too long/)),
    );
  });

  it("a result path applies to JSON, skips an empty response, and fails on other content", async () => {
    const request: HttpRequestTemplate = { ...GET, result: "$.a" };
    expect(await judged({ request, body: '{"a":5}' })).toEqual(done({ status: 200, body: 5 }));
    expect(await judged({ request, status: 204, type: null })).toEqual(
      done({ status: 204, body: null }),
    );
    expect(await judged({ request, type: "text/html", body: "x" })).toMatchObject(
      failure({ kind: "upstream" }),
    );
  });
});
