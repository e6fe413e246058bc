import type { FieldStyle, ParameterStyle } from "../../model/connector.ts";
import type { Json, JsonObject } from "../../../kernel/json.ts";
import { fail, ok, type Result } from "../../../kernel/result.ts";
import { FORM_VALUES_MAX } from "../../limits.ts";

/** A value as it stands in a URL, header or form: numbers and booleans as JSON writes them. */
export function formatParameterValue(value: Exclude<Json, null>): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** The elements of a list as texts; null counts as left out, and what is nested goes as JSON. */
export function formatListValues(list: readonly Json[]): string[] {
  return list.flatMap((element) => (element === null ? [] : [formatParameterValue(element)]));
}

/** The properties of an object as texts, by the same rules. */
export function formatPropertyValues(properties: JsonObject): [string, string][] {
  return Object.entries(properties).flatMap(([name, value]): [string, string][] =>
    value === null ? [] : [[name, formatParameterValue(value)]],
  );
}

/** A text with everything encoded that is not an unreserved character of RFC 3986. */
export function percentEncode(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** Whether a value holds a surrogate that stands alone, which no encoding can send. */
export function hasLoneSurrogate(value: Json): boolean {
  // JSON.stringify escapes exactly those surrogates; a backslash of the text itself is doubled.
  return /(?<!\\)(?:\\\\)*\\ud[89a-f][0-9a-f]{2}/.test(JSON.stringify(value));
}

/**
 * Nested values with their path in brackets, as Stripe and PHP read them: `items[0][price]=5`.
 * Null counts as left out. The failure is what is wrong with the value.
 */
async function encodeBracketed(fields: JsonObject): Promise<Result<string, string>> {
  // The library passes all values of a level as arguments of one call.
  const problem = checkFormSize(fields);
  if (problem !== null) return fail(problem);
  const { default: qs } = await import("qs");
  return ok(qs.stringify(fields, { arrayFormat: "indices", skipNulls: true, format: "RFC3986" }));
}

/** Why values are too many for a form; null when they are not. */
export function checkFormSize(fields: JsonObject): string | null {
  if (!exceedsValueCount(fields, FORM_VALUES_MAX)) return null;
  return `must hold at most ${FORM_VALUES_MAX} values when it is sent as a form`;
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

// What stands between the parts of a list that is not exploded.
const DELIMITERS = { form: ",", simple: ",", spaceDelimited: "%20", pipeDelimited: "%7C" } as const;

/**
 * A value as `name=value` pieces joined by `&`, encoded for a query; empty when there is nothing to
 * say. Styles as in OpenAPI 3.1: `form` is exploded unless told otherwise, the others are not.
 */
export async function encodeStyled(
  name: string,
  value: Json,
  { style = "form", explode = style === "form" }: FieldStyle,
): Promise<Result<string, string>> {
  if (value === null) return ok("");
  if (style === "deepObject" && typeof value === "object")
    return encodeBracketed({ [name]: value });
  return ok(encodeWithStyle(name, value, style, explode));
}

/** One piece of fixed text. */
export function encodePair(name: string, text: string): string {
  return `${percentEncode(name)}=${percentEncode(text)}`;
}

function encodeWithStyle(
  name: string,
  value: Exclude<Json, null>,
  style: ParameterStyle,
  explode: boolean,
): string {
  if (style === "json") return encodePair(name, JSON.stringify(value));
  if (typeof value !== "object" || style === "deepObject")
    return encodePair(name, formatParameterValue(value));
  const delimiter = DELIMITERS[style];
  if (Array.isArray(value)) {
    const texts = formatListValues(value);
    if (explode) return texts.map((text) => encodePair(name, text)).join("&");
    return joinEncoded(name, texts, delimiter);
  }
  const properties = formatPropertyValues(value);
  if (explode) return properties.map(([key, text]) => encodePair(key, text)).join("&");
  return joinEncoded(name, properties.flat(), delimiter);
}

function joinEncoded(name: string, texts: readonly string[], delimiter: string): string {
  return texts.length === 0
    ? ""
    : `${percentEncode(name)}=${texts.map(percentEncode).join(delimiter)}`;
}
