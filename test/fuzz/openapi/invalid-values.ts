import fc, { type Arbitrary } from "fast-check";
import { json } from "../request-generator.ts";
import { validValues, membersOf, written, type Member } from "./valid-values.ts";
import type { Schema } from "./operations.ts";

/** Values that no schema in the document allows, including invalid JSON. */
const INVALID_JSON_VALUES: readonly string[] = [
  '"\\u0000"',
  '"\\ud800"',
  '"\\udc00a"',
  "1e309",
  "-1e400",
  "9007199254740993",
  "1e-400",
  "NaN",
  '"\n"',
  "01",
  "+1",
  "'x'",
  "{",
  "",
  `"${"x".repeat(70_000)}"`,
  nested(31),
  nested(200),
  `[${"[],".repeat(500)}[]]`,
];

const OF_OTHER_TYPES: readonly string[] = [
  "null",
  "true",
  "0",
  "-1",
  "1.5",
  '""',
  '"x"',
  "[]",
  "{}",
];

const MORE_NAMES = [
  "extra",
  "__proto__",
  "constructor",
  "hasOwnProperty",
  "",
  "\u0000",
  "İd",
  "ID",
];

/**
 * Values that a schema usually rejects, as JSON or near-JSON: out of bounds, of the wrong type, or
 * malformed.
 */
export function invalidValues(schema: Schema, name = ""): Arbitrary<string> {
  return fc.oneof(
    { weight: 6, arbitrary: ofKind(schema, name) },
    { weight: 2, arbitrary: fc.constantFrom(...OF_OTHER_TYPES) },
    { weight: 1, arbitrary: fc.constantFrom(...INVALID_JSON_VALUES) },
    { weight: 1, arbitrary: json },
  );
}

function ofKind(schema: Schema, name: string): Arbitrary<string> {
  if (schema.const !== undefined) return nearMisses([String(schema.const)]);
  if (schema.enum !== undefined) return nearMisses(schema.enum.map(String));
  const variants = schema.anyOf ?? schema.oneOf;
  if (variants !== undefined) return fc.oneof(...variants.map((one) => invalidValues(one, name)));
  switch (schema.type) {
    case "string":
      return textsPast(schema);
    case "integer":
    case "number":
      return numbersPast(schema);
    case "array":
      return listsPast(schema, name);
    case "object":
      return mutatedObject(schema);
    default:
      return fc.constantFrom(...OF_OTHER_TYPES);
  }
}

/** Strings that differ slightly from an enum value. */
function nearMisses(words: readonly string[]): Arbitrary<string> {
  return fc.tuple(fc.constantFrom(...words), fc.nat(5)).map(([word, how]) => {
    const near = [word.toUpperCase(), `${word} `, word.slice(0, -1), `${word}\u0000`, "", word];
    return how === 5 ? `[${JSON.stringify(word)}]` : JSON.stringify(near[how]);
  });
}

function textsPast({ minLength = 0, maxLength = 0, format, pattern }: Schema): Arbitrary<string> {
  const past = ["x".repeat(Math.max(0, minLength - 1)), " ", "\u00a0", "\ufeff"];
  if (maxLength > 0) past.push("x".repeat(maxLength + 1), "é".repeat(maxLength + 1));
  if (pattern !== undefined) past.push("x".repeat(129), "_", "a b", "../x", "a\n");
  if (format?.startsWith("date") === true) past.push(...ODD_DATES);
  if (format === "uri") past.push("javascript:alert(1)", "//x", "http://", "https://a b", "x:");
  return fc.constantFrom(...past).map((text) => JSON.stringify(text));
}

const ODD_DATES = [
  "2026-02-30T00:00:00Z",
  "2027-02-29",
  "2026-13-01T00:00:00Z",
  "2026-11-22T24:00:00Z",
  "2026-11-22T23:59:60Z",
  "2026-11-22 10:00:00Z",
  "2026-11-22T10:00:00",
  "+010000-01-01T00:00:00Z",
  "10000-01-01T00:00:00Z",
  "2026-11-22T10:00:00+24:00",
  "0000-00-00",
  "1e12",
];

function numbersPast({ type, minimum, maximum }: Schema): Arbitrary<string> {
  const past = ["1e999", "-0.0", "0.1", "1E+2", "9007199254740992", "9007199254740993"];
  if (minimum !== undefined) past.push(String(minimum - 1), String(minimum - 1e-9));
  if (maximum !== undefined) past.push(String(maximum + 1), String(maximum * 2));
  if (type === "integer") past.push("1.5", "1e-7");
  return fc.constantFrom(...past, '"1"', "[1]");
}

function listsPast(schema: Schema, name: string): Arbitrary<string> {
  const { items = {}, minItems = 0, maxItems = 0 } = schema;
  const item = validValues(items, name);
  const listed = (some: readonly string[]): string => `[${some.join(",")}]`;
  const few = Math.max(0, minItems - 1);
  return fc.oneof(
    fc.array(item, { minLength: few, maxLength: few }).map(listed),
    item.map((one) => listed(Array.from({ length: maxItems + 1 }, () => one))),
    fc.tuple(item, invalidValues(items, name)).map(listed),
    item,
  );
}

/** A valid object with one member removed, replaced, duplicated or added. */
function mutatedObject(schema: Schema): Arbitrary<string> {
  const properties = Object.entries(schema.properties ?? {});
  const more = fc
    .tuple(fc.constantFrom(...MORE_NAMES), fc.constantFrom(...OF_OTHER_TYPES))
    .map((member) => (members: readonly Member[]): Member[] => [...members, member]);
  const others = properties.flatMap(([name, one]) => [
    invalidValues(one, name).map((value) => (members: readonly Member[]): Member[] => [
      ...without(members, name),
      [name, value],
    ]),
    fc.constant((members: readonly Member[]): Member[] => without(members, name)),
    fc
      .tuple(invalidValues(one, name), validValues(one, name), fc.boolean())
      .map(([bad, good, isBadLast]) => (members: readonly Member[]): Member[] => {
        const first: Member = [name, isBadLast ? good : bad];
        return [first, ...without(members, name), [name, isBadLast ? bad : good]];
      }),
  ]);
  return fc
    .tuple(membersOf(schema), fc.oneof(more, ...others))
    .map(([members, spoil]) => written(spoil(members)));
}

function without(members: readonly Member[], name: string): Member[] {
  return members.filter(([one]) => one !== name);
}

function nested(depth: number): string {
  return `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`;
}
