import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Json, JsonObject } from "../../../../src/kernel/json.ts";
import { jsonWorkbench } from "../../../../src/builtin/tools/json-workbench/definition.ts";
import { jsonWorkbenchHandlers } from "../../../../src/builtin/tools/json-workbench/handlers.ts";
import { answer, many, problems, text } from "../results.ts";

describe("JSON workbench", () => {
  it("the handlers match the capabilities of the definition", () => {
    expect(Object.keys(jsonWorkbenchHandlers)).toEqual(
      jsonWorkbench.capabilities.map(({ id }) => id),
    );
  });

  it("malformed, inexact and too deeply nested documents are rejected with the reason", async () => {
    const documents = {
      "{bad": "JSON text",
      "": "JSON text",
      "9007199254740993": "safe integers",
      "[1e400]": "double",
      '"\\ud800"': "well-formed",
      '{"\\u0000": 1}': "U+0000",
      [`${"[".repeat(101)}1${"]".repeat(101)}`]: "levels",
      [`${"[".repeat(400_000)}${"]".repeat(400_000)}`]: "levels",
    };
    for (const [document, reason] of Object.entries(documents)) {
      const [problem] = await problems(jsonWorkbenchHandlers, "validate", { document, schema: {} });
      expect(problem?.path).toBe("document");
      expect(problem?.message).toContain(reason);
    }
  });

  it("a document with a byte order mark and a hundred levels of nesting is accepted", async () => {
    const document = `\uFEFF${"[".repeat(100)}1${"]".repeat(100)}`;
    expect(await answer(jsonWorkbenchHandlers, "validate", { document, schema: {} })).toMatchObject(
      { valid: true },
    );
  });
});

describe("validate", () => {
  async function verdict(document: Json, schema: JsonObject, draft?: string): Promise<JsonObject> {
    const parameters = draft === undefined ? {} : { draft };
    return answer(jsonWorkbenchHandlers, "validate", {
      document: text(document),
      schema,
      ...parameters,
    });
  }

  const person: JsonObject = {
    type: "object",
    required: ["name"],
    properties: {
      name: { type: "string", minLength: 1 },
      age: { type: "integer", minimum: 0 },
      email: { type: "string", format: "email" },
      tags: { type: "array", items: { $ref: "#/$defs/tag" }, uniqueItems: true },
    },
    additionalProperties: false,
    $defs: { tag: { type: "string", pattern: "^[a-z]+(?:-[a-z]+)*$" } },
  };

  it("a document that matches the schema is valid", async () => {
    const document = { name: "Ann", age: 3, email: "a@b.org", tags: ["a", "b-c"] };
    expect(await verdict(document, person)).toEqual({
      valid: true,
      draft: "2020-12",
      errors: [],
      notes: [],
    });
  });

  it("validation lists every error by JSON Pointer, without errors that only repeat another", async () => {
    const document = { age: -1, email: "x", tags: ["ok", "Not", "ok"], "a/b~": 1 };
    const { valid, errors } = await verdict(document, person);
    expect(valid).toBe(false);
    expect(errors).toEqual([
      { path: "", keyword: "required", message: expect.stringContaining('"name"') },
      { path: "/age", keyword: "minimum", message: "-1 is less than 0." },
      { path: "/email", keyword: "format", message: expect.stringContaining("email") },
      { path: "/tags/1", keyword: "pattern", message: "String does not match pattern." },
      { path: "/tags", keyword: "uniqueItems", message: "Duplicate items at indexes 0 and 2." },
      { path: "/a~1b~0", keyword: "additionalProperties", message: "No value is allowed here." },
    ]);
  });

  it("an anyOf error includes the errors of its alternatives", async () => {
    const schema = { anyOf: [{ type: "string" }, { type: "null" }] };
    const { errors } = await verdict(1, schema);
    expect(errors).toMatchObject([{ keyword: "anyOf" }, { keyword: "type" }, { keyword: "type" }]);
  });

  it("validation uses the requested draft, or the one named in $schema, or the newest", async () => {
    // In draft 4, exclusiveMinimum is a boolean that modifies minimum; prefixItems is new in 2020-12.
    const schema = { minimum: 1, exclusiveMinimum: true };
    expect(await verdict(1, schema, "4")).toMatchObject({ valid: false, draft: "4" });
    const named = { $schema: "http://json-schema.org/draft-07/schema#", not: { const: 1 } };
    expect(await verdict(1, named)).toMatchObject({ valid: false, draft: "7" });
    expect(await verdict([1], { prefixItems: [{ type: "string" }] })).toMatchObject({
      valid: false,
      draft: "2020-12",
    });
    const wrong = { document: "1", schema: {}, draft: "8" };
    expect(await problems(jsonWorkbenchHandlers, "validate", wrong)).toEqual([
      { path: "draft", message: 'must be one of 2020-12, 2019-09, 7, 4, got "8"' },
    ]);
  });

  it("every malformed keyword of a schema is reported with its location", async () => {
    const schema = {
      type: "strin",
      required: "name",
      properties: { a: { minLength: -1 }, b: 5 },
      allOf: {},
      items: { enum: {} },
    };
    const found = await problems(jsonWorkbenchHandlers, "validate", {
      document: "{",
      schema,
      draft: "x",
    });
    expect(found.map(({ path }) => path)).toEqual([
      "document",
      "draft",
      "schema.type",
      "schema.required",
      "schema.properties",
      "schema.allOf",
      "schema.items.enum",
    ]);
  });

  it("references that do not resolve inside the schema are rejected", async () => {
    for (const $ref of ["https://example.com/s.json", "http://169.254.169.254/", "#/nowhere"]) {
      const schema = { properties: { a: { $ref } } };
      expect(await problems(jsonWorkbenchHandlers, "validate", { document: "{}", schema })).toEqual(
        [
          {
            path: "schema.properties.a.$ref",
            message: `must refer to a location inside the schema, got ${JSON.stringify($ref)}`,
          },
        ],
      );
    }
    const anywhere = {
      $ref: "#/components/schemas/A",
      components: { schemas: { A: { type: "null" } } },
    };
    expect(await verdict(1, anywhere)).toMatchObject({ valid: false });
  });

  it("a schema with $dynamicRef is rejected, not silently ignored", async () => {
    const schema = { $dynamicAnchor: "a", items: { $dynamicRef: "#a" } };
    expect(
      (await problems(jsonWorkbenchHandlers, "validate", { document: "1", schema }))[0]?.path,
    ).toBe("schema.items.$dynamicRef");
  });

  it("enum, const and default can contain any data, even schema keywords", async () => {
    const value = { format: "url", uniqueItems: true, $ref: "#/x", pattern: "(", type: 5 };
    for (const schema of [{ const: value }, { enum: [value] }, { default: value }]) {
      expect(await verdict(value, schema)).toMatchObject({ valid: true });
    }
    expect(await verdict({}, { const: value })).toMatchObject({ valid: false });
  });

  it("validation works with properties named like JavaScript's own", async () => {
    const schema = JSON.parse(
      '{"properties": {"__proto__": {"type": "string"}}, "additionalProperties": false, "required": ["valueOf"]}',
    );
    const document = '{"__proto__": 1, "toString": 1}';
    const { errors } = await answer(jsonWorkbenchHandlers, "validate", { document, schema });
    expect(errors).toMatchObject([
      { path: "", keyword: "required" },
      { path: "/__proto__", keyword: "type" },
      { path: "/toString", keyword: "additionalProperties" },
    ]);
  });

  it("patterns run in linear time in every part of a schema", async () => {
    const evil = `${"a".repeat(50_000)}!`;
    for (const pattern of ["^(a+)+$", "^(a|aa)+$", "^(?:a*)*b", "^(a|a)*$"]) {
      const places: [Json, JsonObject][] = [
        [evil, { pattern }],
        [evil, { $ref: "#/x/y", x: { y: { pattern } } }],
        [evil, { not: { not: { pattern } } }],
        [{ [evil]: 1 }, { propertyNames: { pattern } }],
        [{ [evil]: 1 }, { patternProperties: { [pattern]: true }, additionalProperties: false }],
      ];
      for (const [document, schema] of places) {
        expect(await verdict(document, schema)).toMatchObject({ valid: false });
      }
    }
  });

  it("validation leaves the global RegExp unchanged", async () => {
    const native = globalThis.RegExp;
    await verdict("a", { pattern: "a" });
    await problems(jsonWorkbenchHandlers, "validate", {
      document: "1",
      schema: { allOf: [{ $ref: "#" }] },
    });
    expect(globalThis.RegExp).toBe(native);
  });

  it("patterns support ECMAScript escapes, and a dot matches no line break", async () => {
    const fits: [string, string, boolean][] = [
      ["^\\u00e9\\/\\-\\p{Lu}$", "é/-É", true],
      ["^.$", "\r", false],
      ["^[.]$", "x", false],
      ["^a.c$", "abc", true],
      ["^\\d{4}-\\d{2}$", "2024-01", true],
      ["^(?<y>x)$", "x", true],
    ];
    for (const [pattern, value, valid] of fits) {
      expect(await verdict(value, { pattern }), pattern).toMatchObject({ valid });
    }
  });

  it("patterns that cannot run in linear time or are malformed are rejected", async () => {
    for (const pattern of ["(?=a)b", "(a)\\1", "(", "a{1001}", "x".repeat(1001)]) {
      const schema = { properties: { a: { pattern } }, patternProperties: { [pattern]: {} } };
      expect(
        (await problems(jsonWorkbenchHandlers, "validate", { document: "1", schema }))[0]?.path,
      ).toBe("schema.properties.a.pattern");
    }
  });

  it("the regex format checks that a text is a pattern without running it", async () => {
    expect(await verdict("(?=a)(x+x+)+y", { format: "regex" })).toMatchObject({ valid: true });
    expect(await verdict("(", { format: "regex" })).toMatchObject({ valid: false });
  });

  it("the validator's own url format, which backtracks without limit, is not checked", async () => {
    expect(await verdict(`http://${"a".repeat(100)}!`, { format: "url" })).toMatchObject({
      valid: true,
    });
  });

  it("schemas whose references never end or multiply exponentially are rejected", async () => {
    const doubling: JsonObject = { d40: { type: "string" } };
    for (let index = 0; index < 40; index += 1) {
      const next = { $ref: `#/$defs/d${index + 1}` };
      doubling[`d${index}`] = { anyOf: [next, next] };
    }
    const schemas = [
      { $ref: "#" },
      { anyOf: [{ $ref: "#" }, { $ref: "#" }] },
      { not: { $ref: "#" } },
      { $ref: "#/$defs/d0", $defs: doubling },
    ];
    for (const schema of schemas) {
      expect(
        (await problems(jsonWorkbenchHandlers, "validate", { document: "1", schema }))[0]?.path,
      ).toBe("schema");
    }
  });

  it("a recursive schema whose work multiplies with each level of the document is rejected", async () => {
    let document = "1";
    for (let level = 0; level < 60; level += 1) document = `{"a":${document}}`;
    const again = [{ $recursiveRef: "#" }, { $recursiveRef: "#" }];
    const here = [{ properties: { a: { $ref: "#" } } }, { properties: { a: { $ref: "#" } } }];
    const schemas = [
      { allOf: here },
      { $recursiveAnchor: true, properties: { a: { anyOf: again } } },
      {
        properties: { a: { $ref: "https://other.example/" } },
        $defs: { b: { $id: "https://other.example/", properties: { a: { allOf: again } } } },
      },
    ];
    for (const schema of schemas) {
      const parameters = { document, schema, draft: "2019-09" };
      expect(await problems(jsonWorkbenchHandlers, "validate", parameters)).toEqual([
        { path: "schema", message: expect.stringContaining("would take too long") },
      ]);
    }
  });

  const wide = Object.fromEntries(many(50_000, (index) => [`k${index}`, index]));
  const products: [string, Json, JsonObject][] = [
    ["wide objects", wide, { allOf: many(10_000, () => ({})) }],
    ["long strings", "x".repeat(400_000), { allOf: many(10_000, () => ({ minLength: 1 })) }],
    ["large enums", many(40_000, () => 1), { items: { not: { enum: many(40_000, (i) => -i) } } }],
    [
      "patterns",
      "x".repeat(300_000),
      { allOf: many(3_000, (index) => ({ pattern: `(?:.{99}){9}${index}` })) },
    ],
  ];

  it.each(products)(
    "validation of a large schema with %s is rejected because it would take too long",
    async (_, document, schema) => {
      const found = await problems(jsonWorkbenchHandlers, "validate", {
        document: text(document),
        schema,
      });
      expect(found[0]?.message).toContain("would take too long");
    },
  );

  it("schemas with too many parts are rejected", async () => {
    const schema = { allOf: many(100_000, () => ({})) };
    expect(
      (await problems(jsonWorkbenchHandlers, "validate", { document: "1", schema }))[0]?.path,
    ).toBe("schema");
  });

  it("large but simple documents are validated", async () => {
    const numbers = many(100_000, (index) => index);
    const integers = { uniqueItems: true, items: { type: "integer", minimum: 0 } };
    expect(await verdict(numbers, integers)).toMatchObject({ valid: true });
    const keys = Object.fromEntries(many(20_000, (index) => [`k${index}`, index]));
    const map = { additionalProperties: { type: "integer" }, minProperties: 20_000 };
    expect(await verdict(keys, map)).toMatchObject({ valid: true });
  });

  it("a check for duplicates among too many items is rejected", async () => {
    const document = text(many(100_000, (index) => index % 99_999));
    const found = await problems(jsonWorkbenchHandlers, "validate", {
      document,
      schema: { uniqueItems: true },
    });
    expect(found).toEqual([
      {
        path: "schema",
        message: expect.stringMatching(/^would take too long on this document/),
      },
    ]);
  });

  it("validation lists at most a hundred errors, and says when it stopped early", async () => {
    const some = await verdict(many(200, String), { items: { type: "integer" } });
    expect(some["errors"]).toHaveLength(100);
    expect(some["notes"]).toEqual(["Only the first 100 of 200 errors are listed."]);
    const lots = await verdict(many(120_000, String), { items: { type: "integer" } });
    expect(lots["errors"]).toMatchObject([{ path: "/0" }]);
    expect(lots["notes"]).toEqual(["Only the first errors are listed; there may be more."]);
  });

  it("long error messages are truncated", async () => {
    const { errors } = await verdict("x", { enum: many(10_000, String) });
    expect(text(errors ?? null).length).toBeLessThan(500);
  });

  it("validation never throws, for any schema", async () => {
    const keyword = fc.constantFrom(
      "type",
      "$ref",
      "$id",
      "items",
      "allOf",
      "properties",
      "x",
      "if",
    );
    const schemas = fc.dictionary(keyword, fc.jsonValue({ maxDepth: 3 }));
    await fc.assert(
      fc.asyncProperty(fc.json(), schemas, async (document, schema) => {
        const parameters = { document, schema: JSON.parse(JSON.stringify(schema)) };
        const outcome = await jsonWorkbenchHandlers["validate"]?.(parameters);
        expect(outcome).toHaveProperty("ok");
      }),
    );
  });
});
