import { describe, expect, it } from "vitest";
import type {
  RequestAuthorization,
  HttpRequestTemplate,
  ParameterMapping,
} from "../../../../src/tools/model/connector.ts";
import type { Json, JsonObject } from "../../../../src/kernel/json.ts";
import { buildToolRequestHeaders } from "../../../../src/tools/connectors/http/call-http.ts";

const DEFAULTS = { accept: "application/json", "user-agent": "bosun" };

interface Asked {
  readonly constants?: Record<string, string>;
  readonly mapped?: Record<string, ParameterMapping>;
  readonly authorization?: RequestAuthorization | null;
}

function outcome({ constants = {}, mapped = {}, authorization = null }: Asked, given: JsonObject) {
  const request: HttpRequestTemplate = { method: "GET", path: "/", headers: mapped };
  return buildToolRequestHeaders(constants, request, given, authorization);
}

function headers(asked: Asked, given: JsonObject = {}): Record<string, string> {
  const made = outcome(asked, given);
  if (!made.ok) throw new Error(JSON.stringify(made.failure));
  return Object.fromEntries(made.value);
}

describe("headers", () => {
  it("requests have default headers, which a tool can override", () => {
    expect(headers({})).toEqual(DEFAULTS);
    expect(headers({ constants: { Accept: "text/csv", "X-A": "1" } })).toEqual({
      ...DEFAULTS,
      accept: "text/csv",
      "x-a": "1",
    });
  });

  it("a mapped header overrides a tool's constant, and the credential overrides both", () => {
    const asked: Asked = {
      constants: { "X-Api-Key": "constant", "X-A": "constant" },
      mapped: { "x-api-key": { parameter: "key" }, "x-a": { parameter: "a" } },
      authorization: { in: "header", name: "X-API-KEY", value: "secret" },
    };
    expect(headers(asked, { key: "mine", a: "given" })).toEqual({
      ...DEFAULTS,
      "x-api-key": "secret",
      "x-a": "given",
    });
  });

  it.each<
    [string, Partial<Extract<ParameterMapping, { parameter: string }>>, Json, string | undefined]
  >([
    ["text", {}, "Blåbær", "Blåbær"],
    ["a number", {}, 2.5, "2.5"],
    ["a list", {}, ["a", null, 1], "a,1"],
    ["an object", {}, { a: 1, b: "c" }, "a,1,b,c"],
    ["an exploded object", { explode: true }, { a: 1, b: "c" }, "a=1,b=c"],
    ["JSON, in ASCII", { style: "json" }, { a: "å🚢" }, '{"a":"\\u00e5\\ud83d\\udea2"}'],
    ["null", {}, null, undefined],
  ])("a header parameter is serialised in its style: %s", (_what, style, p, expected) => {
    const mapped = { "X-P": { parameter: "p", ...style } };
    expect(headers({ mapped }, { p })["x-p"]).toBe(expected);
    expect(headers({ mapped })["x-p"]).toBeUndefined();
  });

  it.each(["a\r\nX-Evil: 1", "a\nb", "a\u0000", "a\u007F", "日本"])(
    "the header value %j is rejected with the name of its parameter",
    (p) => {
      expect(outcome({ mapped: { "X-P": { parameter: "p" } } }, { p })).toMatchObject({
        ok: false,
        failure: { kind: "parameters", problems: [{ path: "p" }] },
      });
    },
  );

  it.each([
    "Authorization",
    "cookie",
    "HOST",
    "Content-Length",
    "Transfer-Encoding",
    "Connection",
    "Proxy-Authorization",
    "TE",
    "Upgrade",
  ])("a parameter cannot set the header %s", (name) => {
    expect(outcome({ mapped: { [name]: { parameter: "p" } } }, { p: "x" })).toMatchObject({
      ok: false,
      failure: { kind: "parameters", problems: [{ path: "p" }] },
    });
    expect(headers({ mapped: { [name]: { parameter: "p" } } })).toEqual(DEFAULTS);
  });

  it("a tool's constants cannot set Host or Content-Length, but can set Cookie", () => {
    const constants = { Host: "evil.example", "content-length": "5", Cookie: "theme=dark" };
    expect(headers({ constants })).toEqual({ ...DEFAULTS, cookie: "theme=dark" });
  });

  it.each<Asked>([
    { constants: { "X A": "1" } },
    { constants: { "X-A": "a\nb" } },
    { mapped: { "X:A": { value: "1" } } },
    { authorization: { in: "header", name: "Authorization", value: "Bearer se\ncret" } },
  ])("a tool's header that is invalid in HTTP is reported as a tool error: %j", (asked) => {
    const made = outcome(asked, {});
    expect(made).toMatchObject({ ok: false, failure: { kind: "upstream" } });
    expect(JSON.stringify(made)).not.toContain("cret");
  });
});
