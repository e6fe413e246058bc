import { describe, expect, it } from "vitest";
import type { Json, JsonObject } from "../../../../src/kernel/json.ts";
import { validateParameters } from "../../../../src/tools/invoke.ts";
import { capability, document, draftOf, parameter, queryOperation } from "./fixtures.ts";

async function notesOf(paths: JsonObject, more: JsonObject = {}): Promise<readonly string[]> {
  return (await draftOf(document(paths, more))).notes;
}

const IN_A = "in document.paths./a.get.parameters[0]";
const NO_PATTERN =
  "The pattern is not checked, because it is not a valid ECMAScript regular expression (with the u flag)";
const NOT_RUN =
  "Only the parameter's type is checked, not its pattern, because RE2 does not support the pattern (no lookaround or backreferences, no lengths or counts over 1,000)";

describe("malformed schema keywords", () => {
  const malformed = (keyword: string, value: string) =>
    `Omitted the keyword ${keyword}, whose value is malformed: ${value} ${IN_A}.`;

  const MALFORMED: readonly [JsonObject, readonly string[]][] = [
    [{ type: "intger" }, [malformed("type", '"intger"')]],
    [{ type: ["string", null] }, [malformed("type", '["string",null]')]],
    [{ type: null }, [malformed("type", "null")]],
    [{ items: { type: "sting" } }, [malformed("type", '"sting"')]],
    [{ minLength: "3" }, [malformed("minLength", '"3"')]],
    [{ required: true }, [malformed("required", "true")]],
    [{ enum: "open" }, [malformed("enum", '"open"')]],
    [{ $ref: 5 }, [malformed("$ref", "5")]],
    [{ allOf: [] }, [malformed("allOf", "[]")]],
    [{ anyOf: {} }, [malformed("anyOf", "{}")]],
    [{ not: [{ type: "string" }] }, [malformed("not", '[{"type":"string"}]')]],
    [{ properties: [] }, [malformed("properties", "[]")]],
    [{ exclusiveMinimum: true, minimum: 1 }, [malformed("exclusiveMinimum", "true")]],
    [{ type: "text", maximum: "9" }, [malformed("type", '"text"'), malformed("maximum", '"9"')]],
    [{ pattern: "(" }, [`${NO_PATTERN}: "(" ${IN_A}.`]],
    [{ pattern: 5 }, [`${NO_PATTERN}: 5 ${IN_A}.`]],
    [
      { patternProperties: { "[": {}, "^a": {}, "]": {} } },
      [`${NO_PATTERN}: "[" ${IN_A}, "]" ${IN_A}.`],
    ],
  ];

  it.each(MALFORMED)(
    "the malformed keywords of %j are omitted with a note",
    async (schema, notes) => {
      expect(await notesOf({ "/a": queryOperation(schema) })).toEqual(notes);
    },
  );

  const FINE: readonly JsonObject[] = [
    { type: ["string", "null"], nullable: true, format: "colour", pattern: "^[a-f]+$" },
    { items: [{ type: "string" }], minItems: 1, "x-order": "first", example: 5, tpye: "?" },
    // Generators often write null for absent values.
    { type: "string", pattern: null, minLength: null, description: null, default: null },
    // These are a field's name and a value, not keywords.
    { type: "object", properties: { type: { type: "string" } }, default: { type: "intger" } },
  ];

  it.each(FINE)("the schema %j causes no note", async (schema) => {
    expect(await notesOf({ "/a": queryOperation(schema) })).toEqual([]);
  });

  it("OpenAPI 3.0 bounds, and keywords next to a reference in OpenAPI 3.0, cause no note", async () => {
    const schema = { minimum: 1, exclusiveMinimum: true };
    const beside = { $ref: "#/components/schemas/Height", type: "intger" };
    const more = { openapi: "3.0.3", components: { schemas: { Height: schema } } };
    expect(
      await notesOf({ "/a": queryOperation(schema), "/b": queryOperation(beside) }, more),
    ).toEqual([]);
  });

  it("a malformed keyword of a shared schema is noted once, and a note names at most five locations", async () => {
    const reading = { parameters: [{ $ref: "#/components/parameters/P" }] };
    const paths = Object.fromEntries(
      Array.from({ length: 7 }, (_, index) => {
        const put = { parameters: [{ name: "q", in: "query", schema: { type: index } }] };
        return [`/${index}`, { get: reading, put }];
      }),
    );
    const shared = { name: "p", in: "query", schema: { $ref: "#/components/schemas/Tide" } };
    const components = {
      parameters: { P: { ...shared, schema: { ...shared.schema, minLength: -1 } } },
      schemas: { Tide: { type: "hight" } },
    };
    const where = (index: number) => `${index} in document.paths./${index}.put.parameters[0]`;
    expect(await notesOf(paths, { components })).toEqual([
      "Omitted the keyword minLength, whose value is malformed: -1 in document.paths./0.get.parameters[0].",
      `Omitted the keyword type, whose value is malformed: ${[0, 1, 2, 3, 4].map(where).join(", ")} and 3 more.`,
    ]);
  });

  it("a note is short, however long the value and the location are", async () => {
    const path = `/${"p".repeat(5_000)}`;
    const [note = ""] = await notesOf({ [path]: queryOperation({ type: "t".repeat(5_000) }) });
    expect(note).toMatch(/: "t{50,100}… in document\.paths\.\/p{100,200}….$/);
    expect(note.length).toBeLessThan(400);
  });
});

describe("a pattern that RE2 does not support", () => {
  it("a pattern that RE2 does not support is kept and noted once, and only the type of its parameter is checked", async () => {
    const schema = { type: "string", pattern: "(?=a)b", maxLength: 3 };
    const draft = await draftOf(
      document({
        "/a": queryOperation(schema),
        "/b": queryOperation(schema),
        "/c": queryOperation({ pattern: "^a{1001}$" }),
      }),
    );
    expect(draft.notes).toEqual([
      `${NOT_RUN}: "(?=a)b" (first in q of get-a), "^a{1001}$" (first in q of get-c).`,
    ]);
    const one = capability(draft, "get-a");
    expect(parameter(one, "q").schema).toEqual(schema);
    expect(await validateParameters(one, { q: "too long" })).toEqual([]);
    expect(await validateParameters(one, { q: 5 })).toHaveLength(1);
  });

  it("patterns that RE2 does not support are found deep in bodies and among property names", async () => {
    const content = (schema: Json) => ({ "application/json": { schema } });
    const body = content({ type: "array", items: { $ref: "#/components/schemas/Tide" } });
    const Tide = { type: "object", patternProperties: { "^(?!x)": { pattern: "(a)\\1" } } };
    const notes = await notesOf(
      { "/a": { post: { requestBody: { content: body } } } },
      { components: { schemas: { Tide } } },
    );
    expect(notes).toEqual([
      `${NOT_RUN}: "^(?!x)" (first in body of post-a), "(a)\\\\1" (first in body of post-a).`,
    ]);
  });

  it("an import compiles a bounded number of patterns and notes how many were not compiled", async () => {
    const paths = Object.fromEntries(
      Array.from({ length: 300 }, (_, index) => [
        `/${index}`,
        queryOperation({ pattern: `${index}${"a{1000}".repeat(100)}` }),
      ]),
    );
    const startedAt = performance.now();
    const notes = await notesOf(paths);
    // This takes at most three seconds on a slow machine. Compiling all patterns would take
    // minutes.
    expect(performance.now() - startedAt).toBeLessThan(20_000);
    expect(notes).toEqual([
      expect.stringMatching(
        /^The pattern was not compiled, because there are too many patterns.* and 29\d more\.$/,
      ),
    ]);
  });
});

describe("a repeated operationId", () => {
  it("a repeated operationId is noted with the new id of the later operation", async () => {
    const get = (operationId: string, tags: string[] = []) => ({ get: { operationId, tags } });
    const paths = {
      "/a": get("slow"),
      "/b": get("slow", ["b"]),
      "/c": get("fast"),
      "/d": get("slow"),
    };
    const draft = await draftOf(document(paths));
    expect(draft.capabilities.map(({ id }) => id)).toEqual(["slow", "slow-2", "fast", "slow-3"]);
    const sentence = "Repeats an earlier operationId, so the capability received a different id";
    expect(draft.notes).toEqual([`${sentence}: slow-2, slow-3.`]);
    const selected = async (selection: { tags?: string[]; names?: string[] }) =>
      (await draftOf(document(paths), { selection })).notes;
    expect(await selected({ tags: ["b"] })).toEqual([`${sentence}: slow-2.`]);
    expect(await selected({ names: ["fast"] })).toEqual([]);
  });
});

describe("the progress of an import", () => {
  it.each([
    [1, [1]],
    [49, [49]],
    [50, [50]],
    [51, [50, 51]],
    [150, [50, 100, 150]],
  ])(
    "progress is reported after every 50 operations and at the end, each number once: %i",
    async (count, numbers) => {
      const paths = Object.fromEntries(
        Array.from({ length: count }, (_, index) => [`/${index}`, { get: {} }]),
      );
      const progress: [number, number][] = [];
      await draftOf(document(paths), {
        onProgress: (done, total) => {
          progress.push([done, total]);
          return Promise.resolve();
        },
      });
      expect(progress).toEqual(numbers.map((number) => [number, count]));
    },
  );
});
