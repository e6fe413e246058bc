import { describe, expect, it } from "vitest";
import type { Capability, Parameter } from "../../src/tools/model/capability.ts";
import type { Json, JsonObject } from "../../src/kernel/json.ts";
import { createSchemaChecker } from "../../src/tools/schema/checkers.ts";
import { validateParameters } from "../../src/tools/invoke.ts";

function taking(...parameters: Parameter[]): Capability {
  return { id: "search", name: "Search", description: "Takes its parameters.", parameters };
}

/** The problems of a parameter `v`, as "path message". */
async function judged(schema: JsonObject, value: Json): Promise<string[]> {
  const capability = taking({ name: "v", type: "string", required: true, schema });
  const problems = await validateParameters(capability, { v: value });
  return problems.map(({ path, message }) => `${path} ${message}`);
}

const object = { a: 1 };
// Parsed from text, because an object with a `then` property would be treated as a promise.
const conditional: JsonObject = JSON.parse(
  '{"if": {"properties": {"a": {"const": 1}}}, "then": {"required": ["b"]}, "else": {"minProperties": 2}}',
);
const tagged: JsonObject = {
  oneOf: [
    {
      type: "object",
      required: ["kind", "last4"],
      properties: { kind: { const: "card" }, last4: { type: "string", pattern: "^\\d{4}$" } },
    },
    { type: "object", required: ["kind"], properties: { kind: { const: "cash" } } },
  ],
};

/** Only `kind` has a constant value in both alternatives. */
const bodies: JsonObject = {
  oneOf: [
    { properties: { kind: { const: "count" }, body: { type: "integer" } } },
    { properties: { kind: { const: "word" }, body: { enum: ["x"] } } },
  ],
};

/** A schema, a value, and every problem that must be reported. */
const RULES: readonly [JsonObject, Json, ...string[]][] = [
  [{ type: "string" }, 5, "v must be a string, got 5"],
  [bodies, { kind: "word", body: 1 }, "v.body must be x, got 1"],
  [bodies, { kind: "count", body: "x" }, 'v.body must be an integer, got "x"'],
  [{ type: "integer" }, 1.5, "v must be an integer, got 1.5"],
  [{ type: ["string", "null"] }, true, "v must be a string or null, got true"],
  [{ type: ["object", "array", "null"] }, "x", 'v must be an object, an array or null, got "x"'],
  [{ enum: ["open", "closed"] }, "shut", 'v must be one of open, closed; got "shut"'],
  [{ type: "string", enum: ["open", "closed"] }, 5, "v must be one of open, closed; got 5"],
  [
    { enum: ["", "1", "true", "a, b", 1, null] },
    2,
    'v must be one of "", "1", "true", "a, b", 1, null; got 2',
  ],
  [
    { enum: Array.from({ length: 25 }, (_, index) => `c${index}`) },
    "x",
    `v must be one of ${Array.from({ length: 20 }, (_, index) => `c${index}`).join(", ")} and 5 more; got "x"`,
  ],
  [{ const: "card" }, "cash", 'v must be card, got "cash"'],
  [{ const: { a: 1 } }, { a: 2 }, 'v must be {"a":1}, got {"a":2}'],
  [{ minimum: 1 }, 0, "v must be a number of at least 1, got 0"],
  [{ type: "integer", maximum: 10 }, 11, "v must be an integer of at most 10, got 11"],
  [{ exclusiveMinimum: 0 }, 0, "v must be a number above 0, got 0"],
  [{ exclusiveMaximum: 1 }, 1, "v must be a number below 1, got 1"],
  [{ multipleOf: 0.01 }, 0.005, "v must be a multiple of 0.01, got 0.005"],
  [{ minLength: 1 }, "", "v must not be empty"],
  [{ minLength: 3 }, "é🙂", "v must be at least 3 characters long, got 2"],
  [{ maxLength: 1 }, "ab", "v must be at most 1 character long, got 2"],
  [{ pattern: "^[a-z]+$" }, "A", 'v must match the pattern ^[a-z]+$, got "A"'],
  [{ format: "email" }, "x", 'v must be an e-mail address, got "x"'],
  [
    { format: "date-time" },
    "today",
    'v must be a date and time such as 2026-01-31T12:00:00Z, got "today"',
  ],
  [{ minItems: 1 }, [], "v must have at least 1 item, got 0"],
  [{ maxItems: 2 }, [1, 2, 3], "v must have at most 2 items, got 3"],
  [
    { uniqueItems: true },
    [1, { a: 1 }, { a: 1 }],
    "v must not contain duplicate items; [1] and [2] are equal",
  ],
  [{ contains: { type: "string" } }, [1], "v must contain a string"],
  [
    { contains: { minimum: 5 } },
    [1],
    "v must contain an item that matches the schema in `contains`",
  ],
  [
    { contains: { type: "string" }, minContains: 2 },
    ["a", 1],
    "v must contain at least 2 items that are each a string",
  ],
  [
    { contains: { type: "string" }, maxContains: 1 },
    ["a", "b"],
    "v must contain at most 1 item that is a string",
  ],
  [{ minProperties: 2 }, object, "v must have at least 2 fields, got 1"],
  [{ maxProperties: 1 }, { a: 1, b: 2 }, "v must have at most 1 field, got 2"],
  [{ required: ["b"] }, object, "v.b is required"],
  [
    {
      required: ["b"],
      properties: { b: { $ref: "#/$defs/b" } },
      $defs: { b: { enum: ["x", "y"] } },
    },
    object,
    "v.b is required: one of x, y",
  ],
  [
    { dependentRequired: { a: ["b", "c"] } },
    object,
    "v.b is required with a",
    "v.c is required with a",
  ],
  [
    { properties: { b: true }, additionalProperties: false },
    { a: 1, b: 2 },
    "v.a is not a known field; known fields: b",
  ],
  [
    { patternProperties: { "^x": true }, additionalProperties: false },
    object,
    "v.a is not a known field",
  ],
  [{ additionalProperties: { type: "string" } }, object, "v.a must be a string, got 1"],
  [{ properties: { a: false } }, object, "v.a is not allowed here"],
  [
    { allOf: [{ properties: { b: true } }], unevaluatedProperties: false },
    object,
    "v.a is not a known field",
  ],
  [
    { allOf: [{ properties: { a: { type: "string" } } }], unevaluatedProperties: false },
    object,
    "v.a must be a string, got 1",
  ],
  [
    { prefixItems: [true], items: false },
    [1, 2],
    "v[1] is not allowed, because the list has too many items",
  ],
  [
    { items: { items: { type: "integer" } } },
    [[1], [2, "3"]],
    'v[1][1] must be an integer, got "3"',
  ],
  [
    { propertyNames: { maxLength: 2 } },
    { abc: 1 },
    "v.abc has an invalid name, which must be at most 2 characters long, got 3",
  ],
  [{ propertyNames: { enum: ["x"] } }, object, 'v.a has an invalid name, which must be x, got "a"'],
  [{ not: { type: "string" } }, "x", 'v must not be a string, got "x"'],
  [{ not: { enum: ["a", "b"] } }, "a", 'v must not be one of a, b; got "a"'],
  [{ not: { required: ["a", "b"] } }, { a: 1, b: 2 }, "v must not have a, b together"],
  [{ not: { minimum: 0 } }, 1, "v must not match the schema in `not`, got 1"],
  [conditional, { a: 1 }, "v.b is required"],
  [conditional, { a: 2 }, "v must have at least 2 fields, got 1"],
  [{ dependentSchemas: { a: { required: ["b"] } } }, object, "v.b is required"],
  // For alternatives, the problems of the closest one are reported, or a single message for all.
  [
    { oneOf: [{ type: "string" }, { type: "integer" }] },
    true,
    "v must be a string or an integer, got true",
  ],
  [
    { anyOf: [{ type: "object" }, { type: "string", enum: [""] }] },
    5,
    'v must be an object or "", got 5',
  ],
  [
    { anyOf: [{ enum: ["a", "b"] }, { type: "null" }] },
    "c",
    'v must be null or one of a, b; got "c"',
  ],
  [
    { anyOf: [{ type: "null" }, { properties: { a: { type: "string" } } }] },
    object,
    "v.a must be a string, got 1",
  ],
  [tagged, { kind: "card", last4: "12" }, 'v.last4 must match the pattern ^\\d{4}$, got "12"'],
  [tagged, { kind: "bank" }, 'v.kind must be one of card, cash; got "bank"'],
  [tagged, {}, "v.kind is required: one of card, cash"],
  [{ anyOf: [{ required: ["b"] }, { required: ["c", "d"] }] }, object, "v must have b or c and d"],
  [
    { anyOf: [{ required: ["b"], additionalProperties: false }, { minProperties: 2 }] },
    object,
    "v must have at least 2 fields, got 1",
  ],
  [
    { oneOf: [{ type: "number" }, { type: "integer" }] },
    5,
    "v must match exactly one of a number, an integer, but matches 2",
  ],
  [
    { oneOf: [{ minimum: 1 }, { minimum: 2 }, { minimum: 9 }] },
    5,
    "v must match exactly one of 3 alternatives, but matches 2",
  ],
  [
    { anyOf: [{ anyOf: [{ type: "string" }, { type: "null" }] }, { type: "boolean" }] },
    1,
    "v must be a string, null or a boolean, got 1",
  ],
  // Both keywords have a problem at the same path, and only one problem is reported for each path.
  [{ minLength: 3, pattern: "^x" }, "a", "v must be at least 3 characters long, got 1"],
];

describe("a value that breaks a rule of its schema", () => {
  it.each(RULES)("the schema %j rejects the value %j", async (schema, value, ...problems) => {
    expect(await judged(schema, value)).toEqual(problems);
    expect(createSchemaChecker()(schema)).toBeNull();
  });
});

describe("an allowed value", () => {
  const fine: [JsonObject, Json][] = [
    [{ type: ["string", "null"] }, null],
    [{ anyOf: [{ type: "integer" }, { type: "null" }] }, null],
    [{ format: "int64" }, "not a number at all"],
    [{ format: "url" }, "x"],
    [{ type: "number", exclusiveMinimum: true, minimum: 0 }, 1],
    [{ nullable: true, "x-order": 3, type: "string", xml: { name: "a" } }, "a"],
    [{ type: "string", example: { id: 1, $ref: "nowhere", pattern: "(" }, examples: [1] }, "a"],
    [
      {
        properties: {
          a: { example: { id: 1 } },
          b: { example: { id: 1 } },
          id: { type: "string" },
        },
      },
      { a: 1, b: 2, id: "x" },
    ],
    [
      { $ref: "#/$defs/node", $defs: { node: { properties: { next: { $ref: "#/$defs/node" } } } } },
      { next: { next: {} } },
    ],
  ];
  it.each(fine)("the schema %j allows the value %j", async (schema, value) => {
    expect(await judged(schema, value)).toEqual([]);
  });
});

describe("a call", () => {
  const search = taking(
    { name: "repo", type: "string", required: true },
    {
      name: "filter",
      type: "object",
      required: false,
      schema: { properties: { labels: { items: { enum: ["open", "closed"] } } } },
    },
    {
      name: "page",
      type: "number",
      required: false,
      schema: { type: ["integer", "null"], minimum: 1 },
    },
  );

  it("a call with several problems reports them all at once, by path", async () => {
    const values = { filter: { labels: ["open", "open", "shut"] }, page: 0, sort: "up" };
    expect(await validateParameters(search, values)).toEqual([
      { path: "repo", message: "is required: a string" },
      { path: "sort", message: "is not a parameter of search; it takes repo, filter, page" },
      { path: "filter.labels[2]", message: 'must be one of open, closed; got "shut"' },
      { path: "page", message: "must be an integer of at least 1, got 0" },
    ]);
  });

  it("a call that matches its schemas has no problems, with or without optional parameters", async () => {
    expect(await validateParameters(search, { repo: "a" })).toEqual([]);
    expect(await validateParameters(search, { repo: "a", page: null, filter: {} })).toEqual([]);
  });

  it("inherited object properties do not count as parameter values", async () => {
    const schema = { type: "string" };
    const odd = taking(
      ...["toString", "__proto__"].map((name) => ({
        name,
        type: "string" as const,
        required: false,
        schema,
      })),
    );
    expect(await validateParameters(odd, {})).toEqual([]);
    const values: JsonObject = JSON.parse('{"__proto__": 1, "toString": 2}');
    expect((await validateParameters(odd, values)).map(({ path }) => path)).toEqual([
      "toString",
      "__proto__",
    ]);
  });
});

it("special names of JavaScript, JSON Schema and JSON Pointer are ordinary field names", async () => {
  const names = [
    "__proto__",
    "constructor",
    "$ref",
    "items",
    "if",
    "contains",
    "a/b",
    "~0",
    "%41",
    "a b",
    "é",
    "0",
    "",
  ];
  const properties = Object.fromEntries(
    names.map((name) => [name, { properties: { in: { type: "string" } } }]),
  );
  const value = Object.fromEntries(names.map((name) => [name, { in: 1 }]));
  const schema = { properties, additionalProperties: false };
  expect((await judged(schema, value)).toSorted()).toEqual(
    names.map((name) => `v.${name}.in must be a string, got 1`).toSorted(),
  );
  const required: JsonObject = { required: names };
  expect(await judged(required, {})).toEqual(names.map((name) => `v.${name} is required`));
  const closed = { additionalProperties: false };
  expect((await judged(closed, value)).toSorted()).toEqual(
    names.map((name) => `v.${name} is not a known field`).toSorted(),
  );
});

describe("schemas of well-known APIs", () => {
  // In GitHub's schemas, `type` is the discriminator for the rules of a ruleset, and an issue's
  // labels are strings or objects.
  const rules: JsonObject = {
    type: "array",
    items: {
      type: "object",
      oneOf: [
        { required: ["type"], properties: { type: { type: "string", enum: ["deletion"] } } },
        {
          required: ["type"],
          properties: {
            type: { type: "string", enum: ["merge_queue"] },
            parameters: {
              type: "object",
              required: ["max_entries"],
              properties: { max_entries: { type: "integer", minimum: 0, maximum: 100 } },
            },
          },
        },
      ],
    },
  };
  const labels: JsonObject = {
    type: "array",
    items: {
      oneOf: [
        { type: "string" },
        {
          type: "object",
          properties: { name: { type: "string" }, color: { type: ["string", "null"] } },
        },
      ],
    },
  };
  // In Stripe's schemas, an empty string clears a value that is otherwise an object, and maps
  // contain strings.
  const items: JsonObject = {
    type: "array",
    items: {
      type: "object",
      properties: {
        metadata: {
          anyOf: [
            { type: "object", additionalProperties: { type: "string" } },
            { type: "string", enum: [""] },
          ],
        },
        price_data: {
          type: "object",
          required: ["currency", "recurring"],
          properties: {
            currency: { type: "string", format: "currency" },
            recurring: { $ref: "#/$defs/recurring" },
          },
        },
      },
    },
    $defs: {
      recurring: {
        type: "object",
        required: ["interval"],
        properties: { interval: { type: "string", enum: ["day", "week", "month", "year"] } },
      },
    },
  };
  const cases: [string, JsonObject, Json, ...string[]][] = [
    [
      "GitHub's rules",
      rules,
      [{ type: "deletion" }, { type: "merge_queue", parameters: { max_entries: 7 } }],
    ],
    [
      "GitHub's rules",
      rules,
      [{ type: "merge_queue", parameters: { max_entries: 101 } }],
      "v[0].parameters.max_entries must be an integer of at most 100, got 101",
    ],
    [
      "GitHub's rules",
      rules,
      [{ type: "creation" }, {}],
      'v[0].type must be one of deletion, merge_queue; got "creation"',
      "v[1].type is required: one of deletion, merge_queue",
    ],
    ["GitHub's labels", labels, ["bug", { name: "bug", color: null }]],
    [
      "GitHub's labels",
      labels,
      ["bug", 7, { name: 7 }],
      "v[1] must be a string or an object, got 7",
      "v[2].name must be a string, got 7",
    ],
    [
      "Stripe's items",
      items,
      [
        { metadata: "" },
        { metadata: { a: "b" }, price_data: { currency: "eur", recurring: { interval: "day" } } },
      ],
    ],
    [
      "Stripe's items",
      items,
      [
        { metadata: "x" },
        { metadata: { a: 1 }, price_data: { recurring: { interval: "decade" } } },
      ],
      'v[0].metadata must be an object or "", got "x"',
      "v[1].metadata.a must be a string, got 1",
      "v[1].price_data.currency is required: a string",
      'v[1].price_data.recurring.interval must be one of day, week, month, year; got "decade"',
    ],
  ];
  it.each(cases)(
    "a value is checked against %s: case %#",
    async (_, schema, value, ...problems) => {
      expect(await judged(schema, value)).toEqual(problems);
    },
  );
});
