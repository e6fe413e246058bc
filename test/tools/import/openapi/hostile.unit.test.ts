import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../../src/kernel/json.ts";
import { CAPABILITIES_MAX } from "../../../../src/tools/limits.ts";
import {
  capabilityOf,
  document,
  draftOf,
  matchesSchema,
  parameter,
  problemsOf,
  queryOperation,
  requestOf,
} from "./fixtures.ts";

/** A document as JSON text, which can contain `__proto__` and values of any depth. */
function withPaths(paths: string, more = ""): string {
  return `{"openapi":"3.1.0","info":{"title":"T"},"servers":[{"url":"https://t.example"}],"paths":${paths}${more}}`;
}

const nest = (opening: string, closing: string, times: number, inside = "") =>
  opening.repeat(times) + inside + closing.repeat(times);

/** A document, the path of its problem, and part of the problem's message. */
const REFUSED: readonly [string, JsonObject | string, string, RegExp][] = [
  ["an empty text", "", "document", /must be an OpenAPI document/],
  ["a list", "[1]", "document", /must be an OpenAPI document/],
  ["a string", "hello", "document", /must be an OpenAPI document/],
  ["an HTML page", "<!doctype html><p>Sign in</p>", "document", /must be JSON or YAML, got "<!doc/],
  ["broken JSON", '{"openapi": "3.1.0",', "document", /must be valid JSON/],
  ["broken YAML", "openapi: 3.1.0\n\tpaths: {", "document", /must be JSON or YAML.*line 2/],
  ["two YAML documents", "openapi: 3.1.0\n---\na: 1", "document", /must be JSON or YAML/],
  [
    "YAML with a duplicate key",
    "openapi: 3.1.0\nopenapi: 3.0.0",
    "document",
    /repeat the key "openapi"/,
  ],
  ["Swagger", { swagger: "2.0", paths: {} }, "document.swagger", /is Swagger "2.0"; convert/],
  ["no version", { paths: {} }, "document.openapi", /got nothing/],
  ["a future version", document({}, { openapi: "4.0.0" }), "document.openapi", /got "4.0.0"/],
  ["a version like 3.10", document({}, { openapi: "3.10.0" }), "document.openapi", /got "3.10.0"/],
  ["a number as the version", document({}, { openapi: 3 }), "document.openapi", /got 3/],
  ["no paths", document({}, { paths: null }), "document.paths", /must be an object .* got null/],
  ["a list of paths", document({}, { paths: [] }), "document.paths", /must be an object/],
  ["empty paths", document({}), "document.paths", /must contain at least one operation/],
  [
    "paths without operations",
    document({ "/a": {} }),
    "document.paths",
    /must contain at least one operation/,
  ],
  ["a number as a path", document({ "/a": 5 }), "document.paths./a", /must be an object, got 5/],
  [
    "a string as an operation",
    document({ "/a": { get: "x" } }),
    "document.paths./a.get",
    /got "x"/,
  ],
  [
    "parameters that are not a list",
    document({ "/a": { get: { parameters: {} } } }),
    "document.paths./a.get.parameters",
    /must be a list/,
  ],
  [
    "a parameter without a name",
    document({ "/a": { get: { parameters: [{ in: "query" }] } } }),
    "document.paths./a.get.parameters[0]",
    /must have the fields name and in/,
  ],
  [
    "a number as a parameter's name",
    document({ "/a": { parameters: [{ in: "query", name: 5 }], get: {} } }),
    "document.paths./a.get.parameters[0] (on the path)",
    /must have the fields name and in/,
  ],
  [
    "a number as a schema",
    document({ "/a": queryOperation(5) }),
    "document.paths./a.get.parameters[0]",
    /must be a schema, got 5/,
  ],
  [
    "a body without content",
    document({ "/a": { post: { requestBody: {} } } }),
    "document.paths./a.post.requestBody",
    /must have a content object/,
  ],
  [
    "a reference to another site",
    document({ "/a": queryOperation({ $ref: "https://elsewhere.example/s.json#/A" }) }),
    "document.paths./a.get.parameters[0]",
    /must not refer to "https:\/\/elsewhere.example\/s.json#\/A"/,
  ],
  [
    "a reference to a file",
    document({ "/a": { $ref: "file:///etc/passwd" } }),
    "document.paths./a",
    /must not refer to "file:\/\/\/etc\/passwd"/,
  ],
  [
    "a reference to another document",
    document({ "/a": { get: { parameters: [{ $ref: "./p.yaml" }] } } }),
    "document.paths./a.get.parameters[0]",
    /must not refer to ".\/p.yaml"/,
  ],
  [
    "a reference to a missing schema",
    document({ "/a": queryOperation({ items: { $ref: "#/components/schemas/No" } }) }),
    "document.paths./a.get.parameters[0]",
    /which is not in the document/,
  ],
  [
    "a reference to an inherited property",
    document({ "/a": queryOperation({ $ref: "#/components/constructor" }) }),
    "document.paths./a.get.parameters[0]",
    /which is not in the document/,
  ],
  [
    "a reference that cannot be decoded",
    document({ "/a": queryOperation({ $ref: "#/%E0%A4%A" }) }),
    "document.paths./a.get.parameters[0]",
    /JSON Pointer/,
  ],
  [
    "a reference to an anchor",
    document({ "/a": queryOperation({ $ref: "#there" }) }),
    "document.paths./a.get.parameters[0]",
    /JSON Pointer/,
  ],
  [
    "a parameter that refers to itself",
    document(
      { "/a": { get: { parameters: [{ $ref: "#/components/parameters/P" }] } } },
      { components: { parameters: { P: { $ref: "#/components/parameters/P" } } } },
    ),
    "document.paths./a.get.parameters[0]",
    /must not refer to itself/,
  ],
  [
    "a reference cycle between schemas",
    document(
      { "/a": queryOperation({ $ref: "#/components/schemas/A" }) },
      {
        components: {
          schemas: {
            A: { $ref: "#/components/schemas/B" },
            B: { allOf: [{ $ref: "#/components/schemas/A" }] },
          },
        },
      },
    ),
    "document.components.schemas.A",
    /in between: A → B → A/,
  ],
  ["100,000 nested lists", nest("[", "]", 100_000), "document", /at most 100 levels/],
  [
    "100,000 nested objects",
    withPaths(nest('{"/a":', "}", 100_000, "1")),
    "document",
    /at most 100 levels/,
  ],
  ["10 MB of opening brackets", "[".repeat(10_000_000), "document", /must have at most/],
  ["5 million empty objects", `[${"{},".repeat(5_000_000)}{}]`, "document", /must have at most/],
  ["5 million numbers", `[${"1,".repeat(5_000_000)}1]`, "document", /must have at most/],
  [
    "100,000 nested YAML lists",
    nest("a: [", "]", 1, "[".repeat(99_999)),
    "document",
    /nested|YAML/,
  ],
  ["a long YAML list", `a: [${"1,".repeat(1_000_000)}]`, "document", /send it as JSON/],
  ["5 MB of YAML", `a: "${"x".repeat(5_000_000)}"`, "document", /send it as JSON/],
  [
    "a billion laughs",
    Array.from({ length: 12 }, (_, level) => {
      const inside =
        level === 0
          ? '"lol"'
          : Array<string>(9)
              .fill(`*a${level - 1}`)
              .join(",");
      return `a${level}: &a${level} [${inside}]`;
    }).join("\n"),
    "document",
    /after its aliases are expanded/,
  ],
  ["a YAML alias to its own parent", "a: &a [*a]", "document", /anchor|aliases/],
];

describe("an unreadable document", () => {
  it.each(REFUSED)(
    "an unreadable document is rejected with the location and the reason: %s",
    async (_, content, path, message) => {
      const [problem, ...others] = await problemsOf(content);
      expect(problem?.path).toBe(path);
      expect(problem?.message).toMatch(message);
      expect(others).toEqual([]);
    },
  );

  it("several broken references are reported together, at most twenty", async () => {
    const paths = Object.fromEntries(
      Array.from({ length: 500 }, (_, index) => [
        `/${index}`,
        queryOperation({ $ref: `#/no/${index}` }),
      ]),
    );
    const problems = await problemsOf(document(paths));
    expect(problems).toHaveLength(20);
    expect(problems[1]).toMatchObject({ path: "document.paths./1.get.parameters[0]" });
  });

  it("a document with too many operations is rejected, and a selection can reduce them", async () => {
    const paths = Array.from({ length: 250_000 }, (_, index) => `"/${index}":{"get":{},"put":{}}`);
    expect(await problemsOf(withPaths(`{${paths.join()}}`))).toEqual([
      { path: "document", message: expect.stringMatching(/^must have at most/) },
    ]);
    const fewer = paths.slice(0, 15_000);
    expect(await problemsOf(withPaths(`{${fewer.join()}}`))).toEqual([
      { path: "document.paths", message: "must have at most 20000 operations" },
    ]);
    const some = paths.slice(0, 2_000);
    expect(await problemsOf(withPaths(`{${some.join()}}`))).toEqual([
      { path: "document.paths", message: expect.stringContaining(`at most ${CAPABILITIES_MAX}`) },
    ]);
    const selection = { names: ["get-7", "put-7"] };
    const { capabilities } = await draftOf(withPaths(`{${some.join()}}`), { selection });
    expect(capabilities.map(({ id }) => id)).toEqual(["get-7", "put-7"]);
  });
});

describe("an unusual but readable document", () => {
  it("recursive schemas stay finite and are checked at every level", async () => {
    const tree = {
      type: "object",
      required: ["name"],
      properties: {
        name: { type: "string" },
        children: { type: "array", items: { $ref: "#/components/schemas/Tree" } },
      },
    };
    const schema = { $ref: "#/components/schemas/Tree" };
    const content = { "application/json": { schema: { type: "array", items: schema } } };
    const grown = await capabilityOf(
      { requestBody: { required: true, content } },
      { method: "post", components: { schemas: { Tree: tree } } },
    );
    const body = parameter(grown, "body");
    expect(body.type).toBe("array");
    expect(body.schema).toEqual({
      type: "array",
      items: { $ref: "#/$defs/Tree" },
      $defs: {
        Tree: {
          ...tree,
          properties: {
            ...tree.properties,
            children: { type: "array", items: { $ref: "#/$defs/Tree" } },
          },
        },
      },
    });
    expect(matchesSchema(body, [{ name: "a", children: [{ name: "b", children: [] }] }])).toBe(
      true,
    );
    expect(matchesSchema(body, [{ name: "a", children: [{ name: 5 }] }])).toBe(false);
  });

  it("a chain of a thousand schemas, each used once, does not become one deep schema", async () => {
    const schemas = Object.fromEntries(
      Array.from({ length: 1_000 }, (_, index) => [
        `S${index}`,
        {
          type: "array",
          items: index === 999 ? {} : { $ref: `#/components/schemas/S${index + 1}` },
        },
      ]),
    );
    const schema = { $ref: "#/components/schemas/S0" };
    const chain = await capabilityOf(
      { parameters: [{ name: "q", in: "query", schema }] },
      { components: { schemas } },
    );
    const text = JSON.stringify(parameter(chain, "q").schema);
    expect(text).toContain('"$defs"');
    expect(Math.max(...text.split('"items"').map((part) => part.split("{").length))).toBeLessThan(
      50,
    );
  });

  it("nested allOf that names a million parts becomes one small body parameter", async () => {
    const schemas: JsonObject = { A20: { type: "object", properties: { a: { type: "string" } } } };
    for (let level = 0; level < 20; level += 1) {
      const next = { $ref: `#/components/schemas/A${level + 1}` };
      schemas[`A${level}`] = { allOf: [next, next] };
    }
    const schema = { $ref: "#/components/schemas/A0" };
    const wide = await capabilityOf(
      { requestBody: { content: { "application/json": { schema } } } },
      { method: "post", components: { schemas } },
    );
    expect(wide.parameters.map(({ name, type }) => ({ name, type }))).toEqual([
      { name: "body", type: "object" },
    ]);
    expect(JSON.stringify(wide).length).toBeLessThan(5_000);
  });

  it("names that every object inherits are read like any other names", async () => {
    const text = withPaths(
      `{"/{__proto__}/{constructor}":{"post":{"operationId":"__proto__","parameters":[
        {"name":"__proto__","in":"path","schema":{"type":"string"}},
        {"name":"constructor","in":"path","schema":{"type":"integer"}},
        {"name":"hasOwnProperty","in":"query","schema":{"$ref":"#/components/schemas/toString"}}],
      "requestBody":{"content":{"application/json":{"schema":{"type":"object",
        "properties":{"valueOf":{"type":"string"},"example":{"type":"string"},
        "nested":{"type":"object","properties":{"__proto__":{"type":"integer"},"example":{"type":"integer"}}}}}}}}}}}`,
      `,"components":{"schemas":{"toString":{"type":"boolean"},"__proto__":{"type":"string"}}}`,
    );
    for (const version of ["3.1.0", "3.0.3"]) {
      const { capabilities } = await draftOf(text.replace("3.1.0", version));
      const [one] = capabilities;
      if (one === undefined) throw new Error("There is no capability");
      expect(one.id).toBe("proto__");
      expect(one.parameters.map(({ name, type }) => `${name} ${type}`)).toEqual([
        "__proto__ string",
        "constructor number",
        "hasOwnProperty boolean",
        "valueOf string",
        "example string",
        "nested object",
      ]);
      const nested = parameter(one, "nested");
      expect(JSON.stringify(nested.schema)).toBe(
        '{"type":"object","properties":{"__proto__":{"type":"integer"},"example":{"type":"integer"}}}',
      );
      expect(requestOf(one).path).toBe("/{__proto__}/{constructor}");
    }
    expect({}).not.toHaveProperty("type");
  });

  it("operations with equal or invalid ids get unique and valid ids", async () => {
    const ids = ["a b", "a/b", "a-b", "", "ÅÄÖ", "x".repeat(200), "x".repeat(200), "-.a", "a-b-2"];
    const paths = Object.fromEntries(
      ids.map((operationId, index) => [`/p${index}/{x}`, { get: { operationId } }]),
    );
    const { capabilities } = await draftOf(document(paths));
    expect(capabilities.map(({ id }) => id)).toEqual([
      "a-b",
      "a-b-2",
      "a-b-3",
      "get-p3-x",
      "get-p4-x",
      "x".repeat(128),
      `${"x".repeat(126)}-2`,
      "a",
      "a-b-2-2",
    ]);
  });

  it("text fields of the wrong type are ignored", async () => {
    const odd = await draftOf(
      document(
        {
          "/a": {
            summary: 1,
            get: { operationId: 5, summary: {}, description: [], tags: "x", deprecated: "yes" },
          },
        },
        { info: 7, externalDocs: { url: "javascript:alert(1)" }, tags: 1, security: {} },
      ),
    );
    expect(odd).toMatchObject({ name: "tides.example", description: "", documentation: "" });
    expect(odd.capabilities).toMatchObject([{ id: "get-a", name: "get-a", description: "" }]);
  });

  it("schema keywords of the wrong type are omitted", async () => {
    const schema = {
      type: "text",
      pattern: "(",
      minLength: -1,
      maximum: "9",
      required: "all",
      enum: "a",
      allOf: [],
      properties: [],
      multipleOf: 0,
      patternProperties: { "(": {}, "^a": { type: "string" } },
      exclusiveMinimum: true,
      title: "kept",
    };
    for (const openapi of ["3.0.3", "3.1.0"]) {
      const one = await capabilityOf(
        { parameters: [{ name: "q", in: "query", schema }] },
        { openapi },
      );
      expect(parameter(one, "q").schema).toEqual({
        title: "kept",
        patternProperties: { "^a": { type: "string" } },
      });
    }
  });

  it("an operation with text that is not Unicode is omitted with a note, and the others are kept", async () => {
    const good = { operationId: "good" };
    const nul = { operationId: "nul", summary: "a\u0000b" };
    const half = { operationId: "half", parameters: [{ name: "\ud800", in: "query" }] };
    const escaped = { operationId: "escaped", summary: String.raw`a\u0000b` };
    const draft = await draftOf(
      document({ "/a": { get: good, put: nul, post: half, delete: escaped } }),
    );
    expect(draft.capabilities.map(({ id }) => id).toSorted()).toEqual(["escaped", "good"]);
    expect(draft.notes).toEqual([
      "Omitted because it contains U+0000 or text that is not valid Unicode: half, nul.",
    ]);
  });
});
