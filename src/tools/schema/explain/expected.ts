import { isJsonObject, type Json, type JsonObject } from "../../../kernel/json.ts";
import { preview } from "../../../kernel/problem.ts";
import type { ValidatorOutput } from "../validator.ts";
import { findReferenceTarget } from "./locations.ts";

const VALUES_SHOWN_MAX = 20;
const NAME_SHOWN_CHARACTERS_MAX = 60;
const ALTERNATIVES_SHOWN_MAX = 5;
const REFERENCES_FOLLOWED_MAX = 10;

/** What a schema expects without its subschemas: types, or values. */
export interface ExpectedValue {
  readonly types: readonly string[];
  readonly values: readonly Json[];
}

const UNKNOWN_EXPECTED: ExpectedValue = { types: [], values: [] };

export function expectedValueOf(
  findings: ValidatorOutput,
  schema: Json | undefined,
): ExpectedValue {
  let at = isJsonObject(schema) ? schema : undefined;
  for (let hops = 0; hops < REFERENCES_FOLLOWED_MAX && at !== undefined; hops += 1) {
    const own = ownExpected(at);
    if (own !== UNKNOWN_EXPECTED) return own;
    at = findReferenceTarget(findings, at, "$ref");
  }
  return UNKNOWN_EXPECTED;
}

function ownExpected(schema: JsonObject): ExpectedValue {
  if (Object.hasOwn(schema, "const")) return { types: [], values: [schema["const"] ?? null] };
  if (Array.isArray(schema["enum"])) return { types: [], values: schema["enum"] };
  const type = schema["type"];
  if (type === undefined) return UNKNOWN_EXPECTED;
  return { types: (Array.isArray(type) ? type : [type]).map(String), values: [] };
}

/** The union of expected values. */
export function mergeExpectedValues(all: readonly ExpectedValue[]): ExpectedValue {
  const types = new Set(all.flatMap((wanted) => wanted.types));
  if (types.has("number")) types.delete("integer");
  const values = new Map(
    all.flatMap((wanted) => wanted.values).map((value) => [JSON.stringify(value), value]),
  );
  return { types: [...types], values: [...values.values()] };
}

/** `a string, null or one of open, closed`; empty if nothing is known. */
export function formatExpectedValue({ types, values }: ExpectedValue): string {
  return formatAlternatives([
    ...types.map(formatType),
    ...(values.length === 0 ? [] : [formatValues(values)]),
  ]);
}

/** `must be one of open, closed; got "shut"` */
export function formatMustBe(wanted: ExpectedValue, got: Json | undefined): string {
  return `must be ${formatExpectedValue(wanted)}${selectSeparator(wanted)} got ${preview(got)}`;
}

export function formatMustNotBe(excluded: ExpectedValue, got: Json | undefined): string {
  return `must not be ${formatExpectedValue(excluded)}${selectSeparator(excluded)} got ${preview(got)}`;
}

function selectSeparator({ values }: ExpectedValue): string {
  return values.length > 1 ? ";" : ",";
}

/** The message for a value that matches several alternatives of a `oneOf`. */
export function formatOneOf(
  findings: ValidatorOutput,
  alternatives: readonly Json[],
  fitting: number,
): string {
  const count = alternatives.length;
  const texts = alternatives.map((schema) =>
    formatExpectedValue(expectedValueOf(findings, schema)),
  );
  const isTold = new Set(texts).size === count && !texts.includes("");
  const named =
    isTold && count <= ALTERNATIVES_SHOWN_MAX ? texts.join(", ") : `${count} alternatives`;
  return `must fit exactly one of ${named}; it fits ${fitting}`;
}

/** `a, b or c` */
export function formatAlternatives(texts: readonly string[]): string {
  const last = texts.at(-1) ?? "";
  return texts.length < 2 ? last : `${texts.slice(0, -1).join(", ")} or ${last}`;
}

/** `a, b and 7 more` */
export function formatListWithRest<Item>(
  items: readonly Item[],
  textOf: (item: Item) => string,
): string {
  const told = items.slice(0, VALUES_SHOWN_MAX).map(textOf).join(", ");
  const more = items.length - VALUES_SHOWN_MAX;
  return more > 0 ? `${told} and ${more} more` : told;
}

/** A name in a message; a hostile name can be as long as a document. */
export function formatShownName(name: string): string {
  if (name.length <= NAME_SHOWN_CHARACTERS_MAX) return name;
  return `${Array.from(name.slice(0, NAME_SHOWN_CHARACTERS_MAX)).slice(0, -1).join("")}…`;
}

function formatValues(values: readonly Json[]): string {
  const told = formatListWithRest(values, formatPlainValue);
  return values.length === 1 ? told : `one of ${told}`;
}

/** A plain word, or JSON if the text could be mistaken for another value. */
function formatPlainValue(value: Json): string {
  return typeof value === "string" && isPlainWord(value) ? value : preview(value);
}

function isPlainWord(text: string): boolean {
  if (text.length > NAME_SHOWN_CHARACTERS_MAX || !/^[^\s",;](?:[^",;]*[^\s",;])?$/.test(text)) {
    return false;
  }
  return Number.isNaN(Number(text)) && !["true", "false", "null"].includes(text);
}

function formatType(type: string): string {
  if (type === "null") return type;
  return /^[aio]/.test(type) ? `an ${type}` : `a ${type}`;
}
