import fc, { type Arbitrary } from "fast-check";
import { hintsFor } from "./hints.ts";
import type { Schema } from "./operations.ts";

/** Only bounds.test.ts sends longer strings. */
const EDGE_CHARACTERS_MAX = 20_000;
const FULL_LISTS_ITEMS_MAX = 60;
/**
 * A character of two UTF-16 code units. The service counts code units, as the document's
 * introduction says.
 */
const ASTRAL = "𝒳";

const DAY_MS = 86_400_000;
const ahead = (days: number): string => new Date(Date.now() + days * DAY_MS).toISOString();

/** RFC 3339 timestamps, mostly in the near future, some at the limits of the format. */
const INSTANTS: Arbitrary<string> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc
      .integer({ min: 3, max: 1_500 })
      .map(ahead)
      .chain((at) =>
        fc.constantFrom(at, at.replace(/\.\d+Z/, "Z"), at.replace(/\.\d+Z/, "+05:30")),
      ),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      "1970-01-01T00:00:00Z",
      "9999-12-31T23:59:59Z",
      "2028-02-29T23:59:59.999999999-12:00",
      "0001-01-01T00:00:00Z",
    ),
  },
);

const DATES = fc.constantFrom("2026-11-01", "2028-02-29", "1970-01-01", "9999-12-31", "0001-01-01");
const URIS = fc.constantFrom(
  "https://example.com/docs",
  "http://example.com:8080/a?b=c#d",
  "https://xn--bcher-kva.example/%20",
);

/** JSON for values that a schema allows, including values at its bounds. */
export function validValues(schema: Schema, name = ""): Arbitrary<string> {
  if (schema.const !== undefined) return fc.constant(JSON.stringify(schema.const));
  if (schema.enum !== undefined) {
    return fc.constantFrom(...schema.enum.map((one) => JSON.stringify(one)));
  }
  const variants = schema.anyOf ?? schema.oneOf;
  if (variants !== undefined) return fc.oneof(...variants.map((one) => validValues(one, name)));
  if (typeof schema.type === "object") {
    return fc.oneof(...schema.type.map((type) => validValues({ ...schema, type })));
  }
  switch (schema.type) {
    case "string":
      return texts(schema, name).map((text) => JSON.stringify(text));
    case "integer":
    case "number":
      return numbers(schema).map(String);
    case "boolean":
      return fc.constantFrom("true", "false");
    case "null":
      return fc.constant("null");
    case "array":
      return lists(schema, name);
    case "object":
      return membersOf(schema).map(written);
    default:
      return fc.constantFrom('"any"', "1", "null", "[]", "{}");
  }
}

/**
 * Strings that a schema allows. `name` is the field's name, which some rules in prose depend on.
 */
export function texts(schema: Schema, name: string): Arbitrary<string> {
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum.map(String));
  if (schema.const !== undefined) return fc.constant(String(schema.const));
  const hints = [...hintsFor(name), ...(schema.examples ?? []).map(String)];
  const plain = plainTexts(schema);
  if (hints.length === 0) return plain;
  return fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(...hints) },
    { weight: 1, arbitrary: plain },
  );
}

function plainTexts({
  format,
  pattern,
  minLength = 0,
  maxLength = 200,
}: Schema): Arbitrary<string> {
  if (format === "date-time") return INSTANTS;
  if (format === "date") return DATES;
  if (format === "uri") return URIS;
  const fits = (text: string): boolean => {
    const { length } = Array.from(text);
    return length >= minLength && length <= maxLength;
  };
  if (pattern !== undefined && pattern !== "\\S") {
    return fc.stringMatching(new RegExp(pattern), { size: "medium" }).filter(fits);
  }
  const short = fc.string({
    unit: "grapheme",
    minLength,
    maxLength: Math.min(maxLength, minLength + 12),
  });
  const edges = ["x".repeat(Math.max(1, minLength))];
  if (maxLength <= EDGE_CHARACTERS_MAX)
    edges.push("x".repeat(maxLength), ASTRAL.repeat(maxLength / 2));
  return fc
    .oneof({ weight: 5, arbitrary: short }, { weight: 1, arbitrary: fc.constantFrom(...edges) })
    .filter((text) => fits(text) && (pattern === undefined || /\S/.test(text)));
}

export function numbers({ type, minimum, maximum, examples = [] }: Schema): Arbitrary<number> {
  const min = minimum ?? -1_000;
  const max = maximum ?? 1e15;
  const edges = [min, max, ...examples.map(Number)];
  if (type === "integer") {
    const near = Math.min(max, min + 300);
    return fc.oneof(
      fc.integer({ min, max: near }),
      fc.maxSafeInteger().filter((value) => value >= min && value <= max),
      fc.constantFrom(...edges),
    );
  }
  return fc.oneof(fc.double({ min, max, noNaN: true }), fc.constantFrom(...edges));
}

function lists(schema: Schema, name: string): Arbitrary<string> {
  const { items = {}, minItems = 0, maxItems = 100 } = schema;
  const item = validValues(items, name);
  const few = fc.array(item, { minLength: minItems, maxLength: Math.min(maxItems, minItems + 2) });
  const isSmall = items.type === "string" && maxItems <= FULL_LISTS_ITEMS_MAX;
  const full = fc.array(item, { minLength: maxItems, maxLength: maxItems });
  return (
    isSmall ? fc.oneof({ weight: 15, arbitrary: few }, { weight: 1, arbitrary: full }) : few
  ).map((some) => `[${some.join(",")}]`);
}

/** The name of an object member and its value as JSON. */
export type Member = readonly [name: string, json: string];

/** Members of a valid object: all required ones, and about a third of the others. */
export function membersOf(schema: Schema): Arbitrary<Member[]> {
  const { properties = {}, required = [], minProperties = 0, maxProperties = Infinity } = schema;
  const known = Object.entries(properties).map(([name, one]) => {
    const member = validValues(one, name).map((value): Member[] => [[name, value]]);
    if (required.includes(name)) return member;
    return fc.oneof(
      { weight: 2, arbitrary: fc.constant<Member[]>([]) },
      { weight: 1, arbitrary: member },
    );
  });
  return fc
    .tuple(...known, others(schema))
    .map((some) => some.flat())
    .filter(({ length }) => length >= minProperties && length <= maxProperties);
}

/** Additional members, if the schema allows any. */
function others({ additionalProperties = false, propertyNames = {} }: Schema): Arbitrary<Member[]> {
  if (additionalProperties === false) return fc.constant([]);
  const value = validValues(additionalProperties === true ? {} : additionalProperties);
  const { pattern } = propertyNames;
  const name =
    pattern === undefined
      ? fc.constantFrom("a", "text", "X-Y", "__proto__", "constructor", "é", "0")
      : fc.stringMatching(new RegExp(pattern));
  return fc.array(fc.tuple(name, value), { maxLength: 2 });
}

export function written(members: readonly Member[]): string {
  return `{${members.map(([name, value]) => `${JSON.stringify(name)}:${value}`).join(",")}}`;
}
