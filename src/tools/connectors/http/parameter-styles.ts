import type { FieldStyle } from "../../model/connector.ts";
import type { Json, JsonObject } from "../../../kernel/json.ts";
import { fail, ok, type Result } from "../../../kernel/result.ts";
import { FORM_VALUES_MAX } from "../../limits.ts";

/** The value of a parameter; null if it is absent. */
export function readParameter(parameters: JsonObject, name: string): Json {
  return Object.hasOwn(parameters, name) ? (parameters[name] ?? null) : null;
}

/** The parameter with the longest value, to suggest which one to shorten. */
export function findLongestParameter(
  names: readonly string[],
  parameters: JsonObject,
): string | undefined {
  const lengths = names.map((name) => JSON.stringify(readParameter(parameters, name)).length);
  return names[lengths.indexOf(Math.max(...lengths))];
}

/** A value as text for a URL, header or form. All values except strings are written as JSON. */
export function formatParameterValue(value: Exclude<Json, null>): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** The elements of a list as text. Null elements are omitted; nested values are written as JSON. */
export function formatListValues(list: readonly Json[]): string[] {
  return list.flatMap((element) => (element === null ? [] : [formatParameterValue(element)]));
}

/** The properties of an object as text, with the same rules as for lists. */
export function formatPropertyValues(properties: JsonObject): [string, string][] {
  return Object.entries(properties).flatMap(([name, value]): [string, string][] =>
    value === null ? [] : [[name, formatParameterValue(value)]],
  );
}

/** Percent-encodes everything except the unreserved characters of RFC 3986. */
function percentEncode(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** Whether a value contains a lone surrogate, which cannot be encoded. */
export function hasLoneSurrogate(value: Json): boolean {
  // JSON.stringify escapes only lone surrogates as `\ud…`; a backslash in the text itself is doubled.
  return /(?<!\\)(?:\\\\)*\\ud[89a-f][0-9a-f]{2}/.test(JSON.stringify(value));
}

/** Writes nested values with their paths in brackets, as Stripe and PHP do: `items[0][price]=5`. Null is omitted. */
async function encodeBracketed(fields: JsonObject): Promise<Result<string, string>> {
  // The library passes all values of a level as arguments to one call, which fails for hundreds of thousands of values.
  const problem = checkFormSize(fields);
  if (problem !== null) return fail(problem);
  const { default: qs } = await import("qs");
  return ok(qs.stringify(fields, { arrayFormat: "indices", skipNulls: true, format: "RFC3986" }));
}

/** The problem if there are too many values; otherwise null. */
export function checkFormSize(fields: JsonObject): string | null {
  if (!exceedsValueCount(fields, FORM_VALUES_MAX)) return null;
  return `must have at most ${FORM_VALUES_MAX} values, including nested ones`;
}

function exceedsValueCount(fields: JsonObject, max: number): boolean {
  let count = 0;
  const open: Json[] = [fields];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    count += 1;
    if (count > max) return true;
    if (typeof next === "object" && next !== null) {
      for (const child of Object.values(next)) open.push(child);
    }
  }
  return false;
}

// Separators for lists and objects that are not exploded.
const DELIMITERS = { form: ",", simple: ",", spaceDelimited: "%20", pipeDelimited: "%7C" } as const;

/** A value as `name=value` pairs joined by `&`, encoded for a query; can be empty. Styles are as in OpenAPI 3.1. */
export async function encodeStyled(
  name: string,
  value: Json,
  { style = "form", explode = style === "form" }: FieldStyle,
): Promise<Result<string, string>> {
  if (value === null) return ok("");
  if (style === "json") return ok(encodePair(name, JSON.stringify(value)));
  if (typeof value !== "object") return ok(encodePair(name, formatParameterValue(value)));
  if (style === "deepObject") return encodeBracketed({ [name]: value });
  const isList = Array.isArray(value);
  const pairs = isList
    ? formatListValues(value).map((text): [string, string] => [name, text])
    : formatPropertyValues(value);
  if (explode) return ok(pairs.map(([key, text]) => encodePair(key, text)).join("&"));
  const texts = isList ? pairs.map(([, text]) => text) : pairs.flat();
  const joined = texts.map(percentEncode).join(DELIMITERS[style]);
  return ok(texts.length === 0 ? "" : `${percentEncode(name)}=${joined}`);
}

export function encodePair(name: string, text: string): string {
  return `${percentEncode(name)}=${percentEncode(text)}`;
}
