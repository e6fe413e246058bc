import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Parameter } from "../../src/tools/model/capability.ts";
import type { Json, JsonObject } from "../../src/kernel/json.ts";
import type { Problem } from "../../src/kernel/result.ts";
import { createSchemaChecker, createValueChecker } from "../../src/tools/schema/checkers.ts";
import { validateParameters } from "../../src/tools/invoke.ts";

async function problemsOf(
  parameters: readonly Parameter[],
  values: JsonObject,
): Promise<Problem[]> {
  const capability = { id: "c", name: "C", description: "A capability.", parameters };
  return validateParameters(capability, values);
}

function parameter(name: string, type: Parameter["type"], schema: JsonObject): Parameter {
  return { name, type, required: true, schema };
}

function many<Value>(count: number, item: (index: number) => Value): Value[] {
  return Array.from({ length: count }, (_, index) => item(index));
}

/** A schema that takes 2^40 steps to apply. */
function doubling(): JsonObject {
  const $defs: JsonObject = { d40: { type: "string" } };
  for (let index = 0; index < 40; index += 1) {
    const next = { $ref: `#/$defs/d${index + 1}` };
    $defs[`d${index}`] = { anyOf: [next, next] };
  }
  return { $ref: "#/$defs/d0", $defs };
}

describe("an unusable schema", () => {
  const broken: [string, JsonObject, string][] = [
    ["a wrong keyword", { type: "strin" }, "must be corrected: type must be one of array, boolean"],
    [
      "a wrong keyword deep inside",
      { properties: { a: { minLength: -1 } } },
      "must be corrected: properties.a.minLength must be a non-negative integer, got -1",
    ],
    [
      "properties that are not a map",
      { properties: 5 },
      "must be corrected: properties must be an object whose values are schemas, got 5",
    ],
    [
      "a dead reference",
      { $ref: "#/$defs/gone" },
      'must be corrected: $ref must refer to a location inside the schema, got "#/$defs/gone"',
    ],
    [
      "a foreign reference",
      { $ref: "https://example.com/s" },
      "must be corrected: $ref must refer to",
    ],
    ["a reference that is not a URI", { $ref: "http://[" }, "must be a valid JSON Schema"],
    [
      "a dynamic reference",
      { items: { $dynamicRef: "#a" } },
      "must be corrected: items.$dynamicRef is not supported; use $ref",
    ],
    [
      "an invalid pattern",
      { pattern: "(" },
      "must be corrected: pattern must be a pattern that RE2 supports",
    ],
    [
      "a pattern with lookaround",
      { items: { pattern: "(?=a)b" } },
      "must be corrected: items.pattern must be a pattern that RE2 supports",
    ],
    [
      "a reference to itself",
      { $ref: "#" },
      "exceeds the work limit or refers to itself endlessly",
    ],
    ["too many parts", { allOf: many(30_000, () => ({})) }, "must have fewer subschemas"],
    ["a doubling", doubling(), "exceeds the work limit or refers to itself endlessly"],
  ];

  it.each(broken)(
    "with an unusable schema, only the plain type is checked: %s",
    async (_, schema, reason) => {
      const parameters = [parameter("v", "array", schema)];
      expect(await problemsOf(parameters, { v: [1] })).toEqual([]);
      expect(await problemsOf(parameters, { v: 5 })).toEqual([
        { path: "v", message: "must be an array, got 5" },
      ]);
      expect(createSchemaChecker()(schema)).toContain(reason);
    },
  );

  it("a schema with an endless self-reference at any position is rejected at registration", () => {
    const endless = { properties: { a: { $ref: "#/properties/a" } } };
    expect(createSchemaChecker()(endless)).toContain("refers to itself endlessly");
    const recursive = { properties: { a: { $ref: "#" } } };
    expect(createSchemaChecker()(recursive)).toBeNull();
  });

  it("an unusable schema does not stop the check of other parameters", async () => {
    const parameters = [
      parameter("a", "string", { $ref: "#/gone" }),
      parameter("b", "string", { pattern: "^b$" }),
    ];
    const problems = await problemsOf(parameters, { a: "x", b: "x" });
    expect(problems.map(({ path }) => path)).toEqual(["b"]);
  });

  it("a draft 4 bound is reported by the schema checker, and ignored in a call", async () => {
    const schema = { items: { minimum: 1, exclusiveMinimum: true } };
    expect(createSchemaChecker()(schema)).toBe(
      "must be corrected: items.exclusiveMinimum must be a number, got true",
    );
    expect(await problemsOf([parameter("v", "array", schema)], { v: [1, 0] })).toEqual([
      { path: "v[1]", message: "must be a number of at least 1, got 0" },
    ]);
  });
});

describe("validation with too much work", () => {
  it("catastrophic patterns run in linear time", async () => {
    const text = `${"a".repeat(200_000)}!`;
    for (const pattern of ["^(a+)+$", "^(a|aa)+$", "^(?:a*)*b"]) {
      const problems = await problemsOf([parameter("v", "string", { pattern })], { v: text });
      expect(problems).toMatchObject([{ path: "v" }]);
      expect(problems[0]?.message).toContain(`must match the pattern ${pattern}, got "aaa`);
    }
  });

  it("validation ends for a hundred parameters that would each take endless work", async () => {
    const parameters = many(100, (index) => parameter(`p${index}`, "object", doubling()));
    const values = Object.fromEntries(parameters.map(({ name }) => [name, {}]));
    expect(await problemsOf(parameters, values)).toEqual([]);
    expect(await problemsOf(parameters, { ...values, p99: 5 })).toEqual([
      { path: "p99", message: "must be an object, got 5" },
    ]);
  });

  const wide = Object.fromEntries(many(50_000, (index) => [`k${index}`, index]));
  const long = "é".repeat(300_000);
  const products: [string, JsonObject, Json][] = [
    ["long arrays", { allOf: many(8_000, () => ({})) }, many(100_000, (index) => index)],
    [
      "long arrays of anything",
      { allOf: many(8_000, () => ({ items: true })) },
      many(100_000, (index) => index),
    ],
    ["wide objects", { allOf: many(8_000, () => ({})) }, wide],
    ["long names", { allOf: many(8_000, () => ({ additionalProperties: {} })) }, { [long]: 1 }],
    [
      "long names of a schema",
      {
        allOf: many(8_000, () => ({ $ref: "#/$defs/a" })),
        $defs: { a: { properties: { [long]: true } } },
      },
      { [long]: 1 },
    ],
    ["patterns", { allOf: many(3_000, (index) => ({ pattern: `(?:.{99}){9}${index}` })) }, long],
    ["formats", { allOf: many(8_000, () => ({ format: "email" })) }, `a@${long}`],
    [
      "references in a row",
      {
        items: { $ref: "#/$defs/d0" },
        $defs: {
          ...Object.fromEntries(many(2_000, (i) => [`d${i}`, { $ref: `#/$defs/d${i + 1}` }])),
          d2000: { type: "string" },
        },
      },
      many(2_000, (i) => i),
    ],
    [
      "alternatives",
      {
        items: {
          anyOf: many(200, (i) => ({ anyOf: many(20, (j) => ({ required: [`${i} ${j}`] })) })),
        },
      },
      many(500, () => ({})),
    ],
  ];

  it.each(products)(
    "validation ends for a large schema combined with %s",
    async (_, schema, value) => {
      const type = typeof value === "string" ? "string" : Array.isArray(value) ? "array" : "object";
      const problems = await problemsOf([parameter("v", type, schema)], { v: value });
      expect(problems.length).toBeLessThanOrEqual(100);
      expect(problems.every(({ path }) => path.startsWith("v"))).toBe(true);
    },
  );

  // Uses most of the work limit of a call, or a sixth of the work limit of a registration.
  const crowded = { allOf: many(30_000, () => ({})) };
  const unchecked =
    "was not checked, because earlier schemas used up the work limit; send fewer or simpler schemas";

  it("no value is checked after one that exceeds the limit of a call", () => {
    const checkValue = createValueChecker();
    expect(checkValue("a", { type: "string" }, 5)).toMatchObject({ ok: true });
    const exceeded = { ok: false, failure: "work_exceeded" };
    expect(checkValue("b", doubling(), [])).toEqual(exceeded);
    const later = many(20, () => checkValue("c", { type: "string" }, 5));
    expect(later).toEqual(many(20, () => exceeded));
  });

  it("unusable schemas count towards the limit of a call", () => {
    const checkValue = createValueChecker();
    const outcomes = many(20, () => checkValue("v", crowded, 5));
    const failures = outcomes.map((outcome) => (outcome.ok ? null : outcome.failure));
    expect(failures).toEqual(["unusable", "unusable", ...many(18, () => "work_exceeded")]);
  });

  it("no schema is checked after one that exceeds the limit of a registration", () => {
    const checkSchema = createSchemaChecker();
    expect(checkSchema({ type: "string" })).toBeNull();
    const pattern = "(?:.{99}){9}";
    const expensive = { allOf: many(1_000, (index) => ({ pattern: `${pattern}${index}` })) };
    expect(checkSchema(expensive)).toContain(
      "exceeds the work limit or refers to itself endlessly",
    );
    expect(many(20, () => checkSchema(expensive))).toEqual(many(20, () => unchecked));
    expect(checkSchema({ type: "string" })).toBe(unchecked);
  });

  it("schemas with problems count towards the limit of a registration", () => {
    const checkSchema = createSchemaChecker();
    const outcomes = many(20, () => checkSchema(crowded));
    expect(outcomes.slice(0, 6).every((one) => one?.includes("fewer subschemas"))).toBe(true);
    expect(outcomes.slice(7)).toEqual(many(13, () => unchecked));
  });

  it("patterns that cannot be compiled count towards the limit of a registration", () => {
    const checkSchema = createSchemaChecker();
    const broken = { allOf: many(500, (index) => ({ pattern: `(${index} is not closed` })) };
    const outcomes = many(20, () => checkSchema(broken));
    expect(outcomes[0]).toContain("must be a pattern that RE2 supports");
    expect(outcomes.at(-1)).toBe(unchecked);
  });

  it("at most a hundred problems are reported, and only the first if there are too many to find", async () => {
    const parameters = [parameter("v", "array", { items: { type: "integer" } })];
    expect(await problemsOf(parameters, { v: many(300, String) })).toHaveLength(100);
    expect(await problemsOf(parameters, { v: many(80_000, String) })).toEqual([
      { path: "v[0]", message: 'must be an integer, got "0"' },
    ]);
  });

  it("problem messages stay short, however long the names in them are", async () => {
    const schema = {
      anyOf: [{ required: [long] }, { required: ["a"] }],
      not: { required: [long.slice(1)] },
      properties: { b: { properties: { [long]: true }, additionalProperties: false } },
      dependentRequired: { [long.slice(1)]: ["c"] },
    };
    const value = { [long.slice(1)]: 1, b: { x: 1 } };
    const problems = await problemsOf([parameter("v", "object", schema)], { v: value });
    expect(problems.length).toBeGreaterThan(1);
    expect(problems.filter(({ message }) => message.length > 300)).toEqual([]);
  });
});

it("validation never throws, for any schema and value", async () => {
  const keyword = fc.constantFrom(
    "type",
    "$ref",
    "$id",
    "$anchor",
    "items",
    "allOf",
    "anyOf",
    "oneOf",
    "not",
    "if",
    "then",
    "contains",
    "properties",
    "required",
    "propertyNames",
    "enum",
    "x",
  );
  const { schema } = fc.letrec<{ schema: Json }>((tie) => ({
    schema: fc.oneof(
      { maxDepth: 4 },
      fc.constantFrom<Json>(true, false, "#", "string", 1, [], {}),
      fc.jsonValue({ maxDepth: 2 }).map(asJson),
      fc.dictionary(keyword, fc.oneof(tie("schema"), fc.array(tie("schema"), { maxLength: 3 })), {
        maxKeys: 4,
      }),
    ),
  }));
  await fc.assert(
    fc.asyncProperty(fc.dictionary(keyword, schema), fc.jsonValue(), async (given, value) => {
      const problems = await problemsOf([parameter("v", "string", given)], { v: asJson(value) });
      const paths = problems.map(({ path }) => path);
      expect(new Set(paths).size).toBe(paths.length);
      expect(createSchemaChecker()(given)).not.toBe("");
    }),
    { numRuns: 500 },
  );
});

/** Narrows the type, because fast-check types JSON values as unknown. */
function asJson(value: unknown): Json {
  return JSON.parse(JSON.stringify(value));
}
