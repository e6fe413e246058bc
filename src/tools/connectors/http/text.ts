import type { Json, JsonObject } from "../../../domain/json.ts";

/** A value as it stands in a URL, header or form: numbers and booleans as JSON writes them. */
export function textOf(value: Exclude<Json, null>): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** The elements of a list as texts; null counts as left out, and what is nested goes as JSON. */
export function listTexts(list: readonly Json[]): string[] {
  return list.flatMap((element) => (element === null ? [] : [textOf(element)]));
}

/** The properties of an object as texts, by the same rules. */
export function propertyTexts(properties: JsonObject): [string, string][] {
  return Object.entries(properties).flatMap(([name, value]): [string, string][] =>
    value === null ? [] : [[name, textOf(value)]],
  );
}

/** A text with everything encoded that is not an unreserved character of RFC 3986. */
export function encoded(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** Whether a value holds a surrogate that stands alone, which no encoding can send. */
export function isBrokenText(value: Json): boolean {
  // JSON.stringify escapes exactly those surrogates; a backslash of the text itself is doubled.
  return /(?<!\\)(?:\\\\)*\\ud[89a-f][0-9a-f]{2}/.test(JSON.stringify(value));
}
