/** Any JSON value (RFC 8259). */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** A JSON value that is neither an array nor an object. */
export type JsonScalar = null | boolean | number | string;

/** A JSON object, such as a body, a task's context or a capability's result. */
export type JsonObject = { [key: string]: Json };

/** Casts a value that is known to be JSON, such as a result of JSON.parse. */
export function asJson(value: unknown): Json {
  return value as Json;
}

export function isJsonObject(value: Json | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The value if it is an object, otherwise an empty object. */
export function toJsonObject(value: Json | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}

/** Parses JSON text, or its bytes in UTF-8. Returns undefined if the input is not valid JSON. */
export function tryParseJson(source: string | Uint8Array): Json | undefined {
  try {
    if (typeof source === "string") return JSON.parse(source);
    return JSON.parse(new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(source));
  } catch {
    return undefined;
  }
}

/** Drops the fields that are undefined. */
export function omitUndefined<Fields extends object>(fields: Fields) {
  const defined = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(defined) as { [Key in keyof Fields]?: Exclude<Fields[Key], undefined> };
}

/** Whether two values are equal as JSON, regardless of the order of object keys. */
export function isSameJson(one: unknown, other: unknown): boolean {
  return JSON.stringify(one, sortKeys) === JSON.stringify(other, sortKeys);
}

/** A replacer for `JSON.stringify` that sorts object keys, so that equal values produce the same text. */
export function sortKeys(_key: string, value: Json): Json {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

const ENCODER = new TextEncoder();
const NON_ASCII = /[\u0080-\uffff]/;

/** The size of a value as JSON in UTF-8, in bytes. */
export function jsonSizeOf(value: Json | object): number {
  const text = JSON.stringify(value);
  // ASCII text has one byte per character, and testing the pattern is faster than encoding the text.
  return NON_ASCII.test(text) ? ENCODER.encode(text).byteLength : text.length;
}

/** The problem if an object is too large to store in a task; otherwise null. */
export function checkJsonSize(value: JsonObject, bytesMax: number): string | null {
  const bytes = jsonSizeOf(value);
  if (bytes <= bytesMax) return null;
  return `must be at most ${bytesMax} bytes of JSON in the task, but would be ${bytes}`;
}

/**
 * Whether a value has at most `depthMax` nesting levels. Not recursive, because a deep value would overflow the stack.
 */
export function isWithinDepth(value: unknown, depthMax: number): boolean {
  const open: { value: unknown; depth: number }[] = [{ value, depth: 1 }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (typeof next.value !== "object" || next.value === null) continue;
    if (next.depth > depthMax) return false;
    const depth = next.depth + 1;
    for (const child of Object.values(next.value)) open.push({ value: child, depth });
  }
  return true;
}
