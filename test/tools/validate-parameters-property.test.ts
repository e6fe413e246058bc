import fc, { type Arbitrary } from "fast-check";
import { expect, it } from "vitest";
import type { Json, JsonObject } from "../../src/kernel/json.ts";
import { createSchemaChecker } from "../../src/tools/schema/checkers.ts";
import { validateParameters } from "../../src/tools/invoke.ts";

/** A schema, a valid value, and variants of this value that each have one error at `path`. */
interface Sample {
  readonly schema: JsonObject;
  readonly value: Json;
  readonly wrongs: readonly { readonly path: string; readonly value: Json }[];
}

const NAMES = [
  "__proto__",
  "constructor",
  "$ref",
  "items",
  "a/b",
  "~1",
  "%25",
  "a b",
  "é",
  "x",
  "y",
];
const name = fc.constantFrom(...NAMES);

function wrong(value: Json, path = ""): Sample["wrongs"][number] {
  return { path, value };
}

const text: Arbitrary<Sample> = fc
  .tuple(fc.string({ unit: "binary", maxLength: 8 }), fc.nat(3), fc.nat(3))
  .map(([value, below, above]) => {
    const length = Array.from(value).length;
    const maxLength = length + above;
    const minLength = Math.max(0, length - below);
    const wrongs = [wrong(5), wrong({}), wrong("é".repeat(maxLength + 1))];
    if (minLength > 0) wrongs.push(wrong("é".repeat(minLength - 1)));
    return { schema: { type: "string", minLength, maxLength }, value, wrongs };
  });

const integer: Arbitrary<Sample> = fc
  .tuple(fc.integer(), fc.nat(9), fc.nat(9))
  .map(([value, below, above]) => {
    const [minimum, maximum] = [value - below, value + above];
    const wrongs = [wrong("1"), wrong(true), wrong(minimum - 1), wrong(maximum + 1), wrong(0.5)];
    return { schema: { type: "integer", minimum, maximum }, value, wrongs };
  });

const choice: Arbitrary<Sample> = fc
  .uniqueArray(name, { minLength: 1, maxLength: 4 })
  .map((names) => ({
    schema: { enum: names },
    value: names[0] ?? "",
    wrongs: [wrong("none of them"), wrong(1), wrong([])],
  }));

const flag: Arbitrary<Sample> = fc
  .boolean()
  .map((value) => ({ schema: { type: "boolean" }, value, wrongs: [wrong("true"), wrong(0)] }));

function nullable(of: Arbitrary<Sample>): Arbitrary<Sample> {
  return of.map(({ schema, value, wrongs }) => ({
    schema: { anyOf: [{ type: "null" }, schema] },
    value,
    wrongs,
  }));
}

function referred(of: Arbitrary<Sample>): Arbitrary<Sample> {
  return of.map(({ schema, value, wrongs }) => ({
    schema: { allOf: [schema], description: "behind another" },
    value,
    wrongs,
  }));
}

/**
 * Arrays with one item schema. The valid array repeats a valid item, and each variant makes one
 * item invalid.
 */
function list(of: Arbitrary<Sample>): Arbitrary<Sample> {
  return fc.tuple(of, fc.integer({ min: 1, max: 3 })).map(([{ schema, value, wrongs }, length]) => {
    const items = Array.from({ length }, () => value);
    return {
      schema: { type: "array", items: schema, minItems: 1, maxItems: length },
      value: items,
      wrongs: [
        wrong("x"),
        wrong([]),
        wrong([...items, value]),
        ...wrongs.map((one) =>
          wrong(items.with(length - 1, one.value), `[${length - 1}]${one.path}`),
        ),
      ],
    };
  });
}

function record(of: Arbitrary<Sample>): Arbitrary<Sample> {
  const members = fc.uniqueArray(fc.tuple(name, of), {
    selector: ([key]) => key,
    minLength: 1,
    maxLength: 4,
  });
  return members.map((given) => {
    const value = Object.fromEntries(given.map(([key, member]) => [key, member.value]));
    const inside = given.flatMap(([key, member]) =>
      member.wrongs.map((one) => wrong(withMember(value, key, one.value), `.${key}${one.path}`)),
    );
    const absent = given.map(([key]) => wrong(withoutMember(value, key), `.${key}`));
    return {
      schema: {
        type: "object",
        properties: Object.fromEntries(given.map(([key, member]) => [key, member.schema])),
        required: given.map(([key]) => key),
        additionalProperties: false,
      },
      value,
      wrongs: [...inside, ...absent, wrong(withMember(value, "extra", 1), ".extra"), wrong([])],
    };
  });
}

/** A choice between two alternatives, with the discriminator `kind`. */
function form(of: Arbitrary<Sample>): Arbitrary<Sample> {
  return fc.tuple(of, of).map(([taken, other]) => {
    const value = { kind: "taken", body: taken.value };
    return {
      schema: { oneOf: [kindOf("other", other.schema), kindOf("taken", taken.schema)] },
      value,
      wrongs: [
        wrong({ ...value, kind: "third" }, ".kind"),
        wrong({ kind: "taken" }, ".body"),
        wrong("x"),
        ...taken.wrongs.map((one) => wrong({ ...value, body: one.value }, `.body${one.path}`)),
      ],
    };
  });
}

function kindOf(kind: string, body: JsonObject): JsonObject {
  const properties = { kind: { const: kind }, body };
  return { type: "object", required: ["kind", "body"], properties };
}

function withMember(object: JsonObject, key: string, value: Json): JsonObject {
  return Object.fromEntries([...Object.entries(withoutMember(object, key)), [key, value]]);
}

function withoutMember(object: JsonObject, key: string): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([one]) => one !== key));
}

const { sample } = fc.letrec<{ sample: Sample }>((tie) => ({
  sample: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    fc.oneof(text, integer, choice, flag),
    nullable(tie("sample")),
    referred(tie("sample")),
    list(tie("sample")),
    record(tie("sample")),
    form(tie("sample")),
  ),
}));

async function pathsOf(schema: JsonObject, value: Json): Promise<string[]> {
  const parameters = [{ name: "v", type: "object", required: true, schema } as const];
  const capability = { id: "c", name: "C", description: "A capability.", parameters };
  return (await validateParameters(capability, { v: value })).map(({ path }) => path);
}

it("a valid value has no problem, and one wrong part gives one problem at exactly its path", async () => {
  await fc.assert(
    fc.asyncProperty(sample, fc.nat(), async ({ schema, value, wrongs }, pick) => {
      expect(createSchemaChecker()(schema)).toBeNull();
      expect(await pathsOf(schema, value)).toEqual([]);
      const one = wrongs[pick % wrongs.length];
      if (one === undefined) throw new Error("The sample has no invalid variant");
      expect(await pathsOf(schema, one.value)).toEqual([`v${one.path}`]);
    }),
    { numRuns: 1_000 },
  );
});
