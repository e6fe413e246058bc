import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type {
  RequestAuthorization,
  HttpRequestTemplate,
  ParameterMapping,
} from "../../../../src/tools/model/connector.ts";
import type { Json, JsonObject } from "../../../../src/kernel/json.ts";
import type { ConnectorFailure } from "../../../../src/tools/connectors/contract.ts";
import { buildToolRequestUrl } from "../../../../src/tools/connectors/http/call-http.ts";
import { listTemplateParameters } from "../../../../src/tools/connectors/http/uri-template.ts";

const BASE = "https://api.example.com/v1";

interface Asked {
  readonly path?: string;
  readonly query?: Record<string, ParameterMapping>;
  readonly base?: string;
  readonly authorization?: RequestAuthorization | null;
}

async function outcome(asked: Asked, parameters: JsonObject) {
  const { path = "/x", query = {}, base = BASE, authorization = null } = asked;
  const request: HttpRequestTemplate = { method: "GET", path, query };
  return buildToolRequestUrl(new URL(base), request, parameters, authorization);
}

async function address(asked: Asked, parameters: JsonObject): Promise<string> {
  const made = await outcome(asked, parameters);
  if (!made.ok) throw new Error(JSON.stringify(made.failure));
  return made.value.href;
}

async function failureOf(asked: Asked, parameters: JsonObject): Promise<ConnectorFailure> {
  const made = await outcome(asked, parameters);
  if (made.ok) throw new Error(`The result is ${made.value.href}`);
  return made.failure;
}

const rejection = (path: string, message: RegExp) => ({
  kind: "parameters",
  problems: [{ path, message: expect.stringMatching(message) }],
});

describe("a path", () => {
  it.each<[string, string, JsonObject, string]>([
    [BASE, "/pets", {}, "/v1/pets"],
    [BASE, "pets", {}, "/v1/pets"],
    [`${BASE}/`, "/pets", {}, "/v1/pets"],
    [BASE, "", {}, "/v1"],
    [`${BASE}/`, "", {}, "/v1/"],
    [BASE, "/", {}, "/v1/"],
    ["https://api.example.com", "", {}, "/"],
    [BASE, "//evil.example/x", {}, "/v1//evil.example/x"],
    [BASE, "/{a}", { a: "b c" }, "/v1/b%20c"],
    [BASE, "/{a}", { a: "../admin" }, "/v1/..%2Fadmin"],
    [BASE, "/{a}", { a: "x?y=1#z" }, "/v1/x%3Fy%3D1%23z"],
    [BASE, "/{a}", { a: "%2e%2e" }, "/v1/%252e%252e"],
    [BASE, "/{a}", { a: "\\..\\" }, "/v1/%5C..%5C"],
    [BASE, "/{a}", { a: "Blåbær 🚢" }, "/v1/Bl%C3%A5b%C3%A6r%20%F0%9F%9A%A2"],
    [BASE, "/{a}/{b}", { a: 7, b: true }, "/v1/7/true"],
    [BASE, "/x/{my%2Dteam}", { "my-team": "a b" }, "/v1/x/a%20b"],
    [BASE, "/{a}", { a: ["x", "y", 1] }, "/v1/x,y,1"],
    [BASE, "/{a}", { a: { k: 1, l: "m" } }, "/v1/k,1,l,m"],
    [BASE, "/x{;a*}", { a: { k: 1, l: "m" } }, "/v1/x;k=1;l=m"],
    [BASE, "/x{.a}", { a: "json" }, "/v1/x.json"],
    [BASE, "/x{/a*}", { a: ["p", "q"] }, "/v1/x/p/q"],
    [BASE, "/x{/a}", {}, "/v1/x"],
    [BASE, "/files/{+a}", { a: "docs/read me.md" }, "/v1/files/docs/read%20me.md"],
    [BASE, "/files/{+a}", { a: "x?y#z" }, "/v1/files/x%3Fy%23z"],
    [BASE, "/x{?a,b}", { a: "1&2", b: "" }, "/v1/x?a=1%262&b="],
    [BASE, "/x?fixed=1{&a}", { a: "2" }, "/v1/x?fixed=1&a=2"],
    [BASE, "/x{?a*}", { a: ["1", "2"] }, "/v1/x?a=1&a=2"],
    [BASE, "/x?q={a}", { a: "" }, "/v1/x?q="],
    [BASE, "/x?q={+a}", { a: "1#2" }, "/v1/x?q=1%232"],
    [BASE, "/x#part{#a}", { a: "1" }, "/v1/x"],
    [`${BASE}?version=3`, "/x{?a}", { a: "1" }, "/v1/x?version=3&a=1"],
    [BASE, "/a/../b", {}, "/v1/b"],
  ])(
    "the base %s, the path %s and the parameters %j form %s",
    async (base, path, parameters, expected) => {
      expect(await address({ base, path }, parameters)).toBe(`https://api.example.com${expected}`);
    },
  );

  it.each<[string, JsonObject, string, RegExp]>([
    ["/{a}", { a: "" }, "a", /must not be empty/],
    ["/{a}", {}, "a", /is required/],
    ["/{a}", { a: null }, "a", /is required/],
    ["/{constructor}", {}, "constructor", /is required/],
    ["/x/{a}/y", { a: ".." }, "a", /"\." or "\.\."/],
    ["/x/{a}", { a: "." }, "a", /"\." or "\.\."/],
    ["/x{/a*}", { a: ["p", ".."] }, "a", /"\." or "\.\."/],
    ["/x/{+a}", { a: "p/../../q" }, "a", /"\." or "\.\."/],
    ["/x/{+a}", { a: "p/%2E%2e/q" }, "a", /"\." or "\.\."/],
    ["/x/.{a}", { a: "." }, "a", /"\." or "\.\."/],
    ["/x{/a*}", { a: [] }, "a", /must not be empty/],
    ["/x{/a*}", { a: ["p", ""] }, "a", /must not be empty/],
    ["/{a}", { a: [["nested"]] }, "a", /must not contain nested/],
    ["/{a:1}", { a: "🚢" }, "a", /cut in the middle of a character/],
    ["/{a}", { a: "x".repeat(9_000) }, "a", /must be shorter/],
  ])(
    "for the path %s, the parameters %j are rejected with the name of the invalid one",
    async (path, parameters, name, message) => {
      expect(await failureOf({ path }, parameters)).toEqual(rejection(name, message));
    },
  );

  it("the error names every parameter that helps to form '..' in a path", async () => {
    expect(await failureOf({ path: "/{a}{b}" }, { a: ".", b: "." })).toMatchObject({
      problems: [{ path: "a" }, { path: "b" }],
    });
  });

  it("a tool's path must not lead outside the base URL", async () => {
    expect(await failureOf({ path: "/../admin" }, {})).toMatchObject({
      kind: "upstream",
      reason: 'its path "/../admin" must lead to a URL below https://api.example.com/v1/.',
      isTransient: false,
      hadNoEffect: true,
    });
  });

  it("a path parameter changes only its own segment, for any value", async () => {
    const value = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.string({ unit: fc.constantFrom("/", "\\", ".", "%", "2", "e", "?", "#", "\t", "@", ":") }),
    );
    await fc.assert(
      fc.asyncProperty(value, async (a) => {
        const made = await outcome({ path: "/x/{a}/y" }, { a });
        if (!made.ok) return;
        const { origin, pathname, search, hash } = made.value;
        expect([origin, search, hash]).toEqual(["https://api.example.com", "", ""]);
        const [first, base, before, step = "", after, ...more] = pathname.split("/");
        expect([first, base, before, after, more]).toEqual(["", "v1", "x", "y", []]);
        expect(decodeURIComponent(step)).toBe(a);
      }),
    );
  });

  it("the parameters of a path template are listed once each", () => {
    expect(listTemplateParameters("/{a}/x{/b*}{?c:3,d}{&a}")).toEqual(["a", "b", "c", "d"]);
    expect(listTemplateParameters("/plain")).toEqual([]);
  });
});

describe("a query", () => {
  const LIST: Json = ["a b", "c,d", null, 3];
  const OBJECT: Json = { k: "a&b", n: null, l: 2 };

  it.each<[string, ParameterMapping, Json, string]>([
    ["text", { parameter: "p" }, "a+b c", "q=a%2Bb%20c"],
    ["a number", { parameter: "p" }, 1.5, "q=1.5"],
    ["false", { parameter: "p" }, false, "q=false"],
    ["an empty text", { parameter: "p" }, "", "q="],
    ["null", { parameter: "p" }, null, ""],
    ["a list", { parameter: "p" }, LIST, "q=a%20b&q=c%2Cd&q=3"],
    ["a list with commas", { parameter: "p", explode: false }, LIST, "q=a%20b,c%2Cd,3"],
    ["an empty list", { parameter: "p", explode: false }, [], ""],
    [
      "a list with spaces",
      { parameter: "p", style: "spaceDelimited" },
      LIST,
      "q=a%20b%20c%2Cd%203",
    ],
    ["a list with pipes", { parameter: "p", style: "pipeDelimited" }, LIST, "q=a%20b%7Cc%2Cd%7C3"],
    [
      "a list with pipes, exploded",
      { parameter: "p", style: "pipeDelimited", explode: true },
      ["a", "b"],
      "q=a&q=b",
    ],
    ["an object", { parameter: "p" }, OBJECT, "k=a%26b&l=2"],
    ["an object with commas", { parameter: "p", explode: false }, OBJECT, "q=k,a%26b,l,2"],
    [
      "a deep object",
      { parameter: "p", style: "deepObject" },
      { a: { b: [1, { c: "x y" }] }, d: null },
      "q%5Ba%5D%5Bb%5D%5B0%5D=1&q%5Ba%5D%5Bb%5D%5B1%5D%5Bc%5D=x%20y",
    ],
    ["text as a deep object", { parameter: "p", style: "deepObject" }, "x", "q=x"],
    ["an empty deep object", { parameter: "p", style: "deepObject" }, {}, ""],
    ["JSON", { parameter: "p", style: "json" }, { a: [1] }, "q=%7B%22a%22%3A%5B1%5D%7D"],
    ["a nested list, as JSON", { parameter: "p" }, [[1]], "q=%5B1%5D"],
    ["a constant", { value: "a b" }, null, "q=a%20b"],
  ])("a query parameter is serialised in its style: %s", async (_what, q, p, expected) => {
    const href = await address({ query: { q } }, { p });
    expect(href).toBe(`${BASE}/x${expected === "" ? "" : `?${expected}`}`);
  });

  it("a query parameter without a value is omitted, even if it is named __proto__", async () => {
    const query = { a: { parameter: "a" }, b: { parameter: "__proto__" } };
    expect(await address({ query }, {})).toBe(`${BASE}/x`);
  });

  it("a deep object with too many values is rejected by parameter", async () => {
    const query = { q: { parameter: "p", style: "deepObject" } } as const;
    const p = { list: Array(200_000).fill(1) };
    expect(await failureOf({ query }, { p })).toEqual(rejection("p", /at most 10000 values/));
  });

  it("the credential replaces every query parameter of its name", async () => {
    const authorization = { in: "query", name: "api key", value: "s&t" } as const;
    const asked = {
      base: `${BASE}?api+key=base`,
      path: "/x?api%20key=path",
      query: { "api key": { parameter: "p" }, other: { value: "1" } },
      authorization,
    };
    expect(await address(asked, { p: "mine" })).toBe(`${BASE}/x?other=1&api%20key=s%26t`);
  });
});
