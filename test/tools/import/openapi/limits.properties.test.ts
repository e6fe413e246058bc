import { describe, expect, it } from "vitest";
import type { Json, JsonObject } from "../../../../src/kernel/json.ts";
import { PARAMETERS_BYTES_MAX } from "../../../../src/tools/limits.ts";
import { capabilityOf, document, draftOf, problemsOf, queryOperation } from "./fixtures.ts";

describe("oversized operations", () => {
  const wide = { type: "string", description: "d".repeat(10_000) };

  it("a body whose fields share a large schema stays a single parameter", async () => {
    const properties = Object.fromEntries(
      Array.from({ length: 100 }, (_, index) => [
        `f${index}`,
        { $ref: "#/components/schemas/Wide" },
      ]),
    );
    const schema = { type: "object", properties };
    const one = await capabilityOf(
      { requestBody: { content: { "application/json": { schema } } } },
      {
        method: "post",
        components: { schemas: { Wide: { type: "object", properties: { wide } } } },
      },
    );
    expect(one.parameters.map(({ name }) => name)).toEqual(["body"]);
    expect(JSON.stringify(one.parameters).length).toBeLessThan(20_000);
  });

  it("a body with too many fields stays a single parameter", async () => {
    const properties = Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`f${i}`, {}]));
    const one = await capabilityOf(
      { requestBody: { content: { "application/json": { schema: { properties } } } } },
      { method: "post" },
    );
    expect(one.parameters.map(({ name }) => name)).toEqual(["body"]);
  });

  it("operations with too many parameters, or with parameters that are too large, are omitted with a note", async () => {
    const schema = { enum: Array.from({ length: 60 }, (_, i) => "e".repeat(10_000) + String(i)) };
    const many = Array.from({ length: 201 }, (_, index) => ({ name: `q${index}`, in: "query" }));
    const draft = await draftOf(
      document({
        "/a": { get: { operationId: "large", parameters: [{ name: "q", in: "query", schema }] } },
        "/b": { get: { operationId: "many", parameters: many } },
        "/c": { get: { operationId: "fine" } },
      }),
    );
    expect(draft.capabilities.map(({ id }) => id)).toEqual(["fine"]);
    expect(draft.notes).toEqual([
      "Omitted because it has too many parameters, or parameters that are too large: large, many.",
    ]);
  });

  it("an import fails if a small document would become a huge tool", async () => {
    const schemas: JsonObject = {
      Wide: { enum: Array.from({ length: 20 }, (_, i) => "e".repeat(10_000) + String(i)) },
    };
    const paths = Object.fromEntries(
      Array.from({ length: 200 }, (_, index) => [
        `/${index}`,
        queryOperation({ $ref: "#/components/schemas/Wide" }),
      ]),
    );
    const text = JSON.stringify(document(paths, { components: { schemas } }));
    expect(text.length).toBeLessThan(PARAMETERS_BYTES_MAX);
    expect(await problemsOf(text)).toEqual([
      { path: "document.paths", message: expect.stringContaining("select fewer operations") },
    ]);
  });
});

describe("a path item that thousands of paths share", () => {
  const many = (times: number, item: (index: number) => Json) =>
    Array.from({ length: times }, (_, index) => item(index));
  const named = (times: number, value: Json) =>
    Object.fromEntries(Array.from({ length: times }, (_, index) => [`n${index}`, value]));

  /**
   * A path item, and the expected problem of a document in which 3,000 paths share it; null if
   * there is none.
   */
  const SHARED: readonly [string, JsonObject, RegExp | null][] = [
    [
      "a long summary",
      { get: { summary: " ".repeat(5_000_000), description: "d".repeat(5_000_000) } },
      null,
    ],
    ["many tags", { get: { tags: many(90_000, (index) => `t${index}`) } }, null],
    ["much security", { get: { security: many(50_000, () => ({ key: [] })) } }, null],
    ["many scopes", { get: { security: [{ key: many(90_000, (index) => `s${index}`) }] } }, null],
    [
      "many parameters",
      { get: { parameters: many(9_000, (index) => ({ name: `p${index}`, in: "query" })) } },
      /too many parameters, or parameters that are too large/,
    ],
    ["a long malformed type", queryOperation({ type: "x".repeat(5_000_000) }), null],
    ["many malformed values", queryOperation({ required: named(30_000, 1) }), null],
    ["a long unknown scheme", { get: { security: [{ ["k".repeat(5_000_000)]: [] }] } }, null],
    ["many unknown schemes", { get: { security: [named(30_000, [])] } }, null],
    [
      "many values",
      queryOperation({ enum: many(90_000, (index) => `v${index}`) }),
      /more parameters/,
    ],
    [
      "a deep default",
      queryOperation({ default: many(30_000, () => ({ a: [] })) }),
      /more parameters/,
    ],
    ["many fields", queryOperation({ properties: named(30_000, true) }), /more parameters/],
    ["many vendor extensions", queryOperation(named(30_000, 1)), null],
    [
      "a long description",
      queryOperation({ description: "d".repeat(5_000_000) }),
      /more parameters/,
    ],
    ["many media types", { post: { requestBody: { content: named(30_000, {}) } } }, null],
    [
      "a long server",
      { get: { servers: [{ url: `https://t.example/${"x".repeat(5_000_000)}` }] } },
      /a url of at most/,
    ],
    ["a long reference", queryOperation({ $ref: `#/${"x".repeat(5_000_000)}` }), /JSON Pointer/],
    ["many broken parameters", { get: { parameters: many(9_000, () => 5) } }, /must be an object/],
  ];

  it.each(SHARED)(
    "an import of thousands of paths that share an item with %s ends in time",
    async (_, item, message) => {
      for (const openapi of ["3.0.3", "3.1.0"]) {
        const paths = Object.fromEntries(
          many(3_000, (index) => index).map((index) => [`/${String(index)}`, { $ref: "#/x/item" }]),
        );
        const text = JSON.stringify(document(paths, { openapi, x: { item } }));
        const startedAt = performance.now();
        const problems = await problemsOf(text);
        // Reading the item once takes a tenth of this time. Reading it 3,000 times would take
        // minutes.
        expect(performance.now() - startedAt).toBeLessThan(10_000);
        if (message === null) expect(problems).toEqual([]);
        else expect(problems[0]?.message).toMatch(message);
      }
    },
  );
});
