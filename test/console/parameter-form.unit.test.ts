import { describe, expect, it } from "vitest";
import {
  fieldsOf,
  parametersOf,
  problemsByField,
  valuesOf,
  type FieldKind,
} from "../../console/src/tools/parameter-form.ts";
import { Rng } from "../support/rng.ts";

type Parameter = Parameters<typeof fieldsOf>[0][number];

const CASES = 500;

const KINDS: readonly {
  readonly kind: FieldKind;
  readonly type: Parameter["type"];
  readonly schema?: Record<string, unknown>;
  readonly value: (rng: Rng) => unknown;
}[] = [
  { kind: "long-text", type: "string", value: randomText },
  { kind: "text", type: "string", schema: { type: "string", maxLength: 80 }, value: randomText },
  { kind: "date", type: "string", schema: { format: "date" }, value: () => "2026-11-27" },
  {
    kind: "number",
    type: "number",
    value: (rng) => (rng.next() - 0.5) * 10 ** rng.between(-9, 20),
  },
  {
    kind: "integer",
    type: "number",
    schema: { type: "integer" },
    value: (rng) => rng.between(-1e9, 1e9),
  },
  { kind: "integer", type: "number", schema: { type: ["integer", "null"] }, value: () => 0 },
  { kind: "boolean", type: "boolean", value: (rng) => rng.oneIn(2) },
  {
    kind: "choice",
    type: "string",
    schema: { enum: ["a", "", 'b"', 3, null] },
    value: (rng) => rng.pick(["a", "", 'b"', 3, null]),
  },
  {
    kind: "choice",
    type: "string",
    schema: { anyOf: [{ const: "only" }, { type: "null" }] },
    value: () => "only",
  },
  {
    kind: "list",
    type: "array",
    schema: { type: "array", items: { type: "string" } },
    value: (rng) =>
      Array.from({ length: rng.between(1, 4) }, () => randomText(rng).replaceAll("\n", " ")),
  },
  {
    kind: "json",
    type: "array",
    value: (rng) => [rng.below(9), { deep: [null, randomText(rng)] }],
  },
  {
    kind: "json",
    type: "object",
    schema: { type: "object", properties: {} },
    value: (rng) => ({ [randomText(rng)]: rng.next() }),
  },
  {
    kind: "json",
    type: "string",
    schema: { anyOf: [{ type: "string" }, { type: "number" }] },
    value: (rng) => (rng.oneIn(2) ? randomText(rng) : 7),
  },
  { kind: "json", type: "object", schema: { $ref: "#/$defs/ship" }, value: () => ({}) },
];

function randomText(rng: Rng): string {
  return Array.from({ length: rng.between(1, 12) }, () =>
    rng.pick(["a", "7", " ", "\n", '"', "{", "é", "\u202e", "😀", "__proto__", ","]),
  ).join("");
}

function randomParameters(rng: Rng) {
  const count = rng.between(1, 8);
  return Array.from({ length: count }, (_, index) => {
    const made = KINDS[rng.below(KINDS.length)] ?? expect.fail("no kind");
    const parameter: Parameter = {
      name:
        index === 1
          ? rng.pick(["constructor", "__proto__"])
          : `p${index}${rng.pick(["", ".x", " é", "[0]"])}`,
      type: made.type,
      required: rng.oneIn(3),
      ...(made.schema && { schema: made.schema }),
    };
    return { made, parameter };
  });
}

describe("a form from a capability's parameters", () => {
  it("has one field for each parameter, of the kind that its schema asks for", () => {
    for (let seed = 0; seed < CASES; seed += 1) {
      const chosen = randomParameters(new Rng(seed));
      const fields = fieldsOf(chosen.map(({ parameter }) => parameter));
      expect(fields.map(({ name, kind, required }) => [name, kind, required])).toEqual(
        chosen.map(({ made, parameter }) => [parameter.name, made.kind, parameter.required]),
      );
    }
  });

  it("reads back every parameter that it shows", () => {
    for (let seed = 0; seed < CASES; seed += 1) {
      const rng = new Rng(seed);
      const chosen = randomParameters(rng);
      const fields = fieldsOf(chosen.map(({ parameter }) => parameter));
      const parameters = Object.fromEntries(
        chosen
          .filter(({ parameter }) => parameter.required || rng.oneIn(2))
          .map(({ made, parameter }) => [parameter.name, made.value(rng)]),
      );
      const values = valuesOf(fields, parameters) ?? expect.fail(`seed ${seed} has no values`);
      expect(parametersOf(fields, values)).toEqual({ parameters, problems: new Map() });
    }
  });

  it("never sends a value of another type, whatever is typed", () => {
    for (let seed = 0; seed < CASES; seed += 1) {
      const rng = new Rng(seed);
      const fields = fieldsOf(randomParameters(rng).map(({ parameter }) => parameter));
      const values = Object.fromEntries(
        fields.map(({ name }) => [name, rng.oneIn(4) ? "" : randomText(rng)]),
      );
      const { parameters, problems } = parametersOf(fields, values);
      for (const { name, kind, required, options } of fields) {
        const isOmitted = values[name] === "";
        const isSent = Object.hasOwn(parameters, name);
        expect(problems.has(name) && isSent).toBe(false);
        expect(problems.has(name) || isSent).toBe(!isOmitted || required);
        if (!isSent) continue;
        const value = parameters[name];
        if (kind === "number") expect(Number.isFinite(value)).toBe(true);
        if (kind === "integer") expect(Number.isInteger(value)).toBe(true);
        if (kind === "boolean") expect(typeof value).toBe("boolean");
        if (kind === "choice") expect(options).toContain(value);
        if (kind === "list") expect(Array.isArray(value)).toBe(true);
      }
    }
  });

  it.each([
    ["an unknown parameter", { other: 1 }],
    ["a value of another type", { limit: "1" }],
    ["an empty string", { text: "" }],
    ["a list item with a line break", { tags: ["a\nb"] }],
    ["an empty list", { tags: [] }],
    ["something that is not an object", [1]],
  ])("does not claim to express %s", (_, parameters) => {
    const fields = fieldsOf([
      { name: "limit", type: "number", required: false },
      { name: "text", type: "string", required: false },
      { name: "tags", type: "array", required: false, schema: { items: { type: "string" } } },
    ]);
    expect(valuesOf(fields, parameters)).toBeNull();
  });

  it("says what the schema demands of a value", () => {
    const schema = { type: "integer", minimum: 1, maximum: 7, default: 1 };
    const [field] = fieldsOf([{ name: "days", type: "number", required: false, schema }]);
    expect(field?.constraints).toEqual(["from 1 to 7", "default: 1"]);
  });

  it("shows a problem of the API at the field that it concerns", () => {
    const fields = fieldsOf([
      { name: "ship", type: "object", required: true },
      { name: "ships", type: "array", required: false },
    ]);
    const problems = [
      { path: "parameters.ship.name", message: "is required" },
      { path: "parameters.ships[1]", message: "must be a string" },
      { path: "parameters.other", message: "is unknown" },
    ];
    expect([...problemsByField(fields, problems)]).toEqual([
      ["ship", ".name is required"],
      ["ships", "[1] must be a string"],
    ]);
  });
});
