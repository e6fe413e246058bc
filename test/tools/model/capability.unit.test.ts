import { describe, expect, it } from "vitest";
import { checkParameters, type Capability } from "../../../src/tools/model/capability.ts";
import type { Json, JsonObject } from "../../../src/kernel/json.ts";

const CAPABILITY: Capability = {
  id: "everything",
  name: "Everything",
  description: "Takes one of each type.",
  parameters: [
    { name: "text", type: "string", required: true },
    { name: "count", type: "number", required: false },
    { name: "deep", type: "boolean", required: false },
    { name: "rows", type: "array", required: false },
    { name: "options", type: "object", required: false },
  ],
};

const VALUES: Readonly<Record<string, readonly Json[]>> = {
  string: ["x", ""],
  number: [1.5, 0, -1],
  boolean: [true, false],
  array: [[], [1]],
  object: [{}, { a: 1 }],
  null: [null],
};

describe.each(CAPABILITY.parameters)("a $type parameter", ({ name, type }) => {
  const check = (value: Json) => checkParameters(CAPABILITY, { text: "x", [name]: value });

  it("a parameter accepts values of its own type", () => {
    expect((VALUES[type] ?? []).flatMap(check)).toEqual([]);
  });

  it("a parameter rejects values of every other type, including null", () => {
    const others = Object.entries(VALUES).flatMap(([other, values]) =>
      other === type ? [] : values,
    );
    for (const value of others) {
      expect(check(value)).toEqual([
        { path: name, message: expect.stringMatching(new RegExp(`^must be an? ${type}, got `)) },
      ]);
      expect(check(value)[0]?.message).toContain(JSON.stringify(value));
    }
  });
});

it("all problems with a call's parameters are reported together", () => {
  const values = { count: "3", extra: 1, __count: 2 };
  expect(checkParameters(CAPABILITY, values)).toEqual([
    { path: "text", message: "is required: a string" },
    { path: "count", message: 'must be a number, got "3"' },
    {
      path: "extra",
      message: "is not a parameter of everything; it takes text, count, deep, rows, options",
    },
    { path: "__count", message: expect.stringContaining("is not a parameter") },
  ]);
});

it("inherited property names are neither parameters nor their values", () => {
  const inherited: Capability = {
    ...CAPABILITY,
    parameters: [{ name: "toString", type: "string", required: true }],
  };
  expect(checkParameters(inherited, {})).toEqual([
    { path: "toString", message: "is required: a string" },
  ]);
  const values: JsonObject = JSON.parse('{"text": "x", "__proto__": 1}');
  expect(checkParameters(CAPABILITY, values)).toMatchObject([{ path: "__proto__" }]);
});

it("a parameter's schema checks its value, but a missing value is reported without it", () => {
  const schema = { type: ["string", "null"] };
  const nullable: Capability = {
    ...CAPABILITY,
    parameters: [{ name: "note", type: "string", required: true, schema }],
  };
  expect(checkParameters(nullable, { note: null })).toEqual([]);
  expect(checkParameters(nullable, { note: 5 })).toEqual([]);
  expect(checkParameters(nullable, {})).toEqual([
    { path: "note", message: "is required: a string" },
  ]);
});

it("the error for a capability without parameters says that it takes none", () => {
  expect(checkParameters({ ...CAPABILITY, parameters: [] }, { a: 1 })).toEqual([
    { path: "a", message: "is not a parameter of everything; it takes none" },
  ]);
});

describe("a flood of unknown parameters", () => {
  it("a flood of unknown parameters is reported in twenty problems at low cost", () => {
    const parameters = Array.from({ length: 90 }, (_, at) => ({
      name: `parameter_${at}`,
      type: "string" as const,
      required: false,
    }));
    const flood = Object.fromEntries(Array.from({ length: 120_000 }, (_, at) => [`x${at}`, 1]));
    const before = process.memoryUsage().heapUsed;
    const problems = checkParameters({ id: "c", name: "c", description: "", parameters }, flood);
    expect(problems).toHaveLength(20);
    expect(problems[0]?.message).toMatch(/it takes parameter_0, .* and 70 more$/);
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(40_000_000);
  });
});
