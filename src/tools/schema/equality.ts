import type { Json } from "../../domain/json.ts";

/** A short text that two values of the documents share exactly when they are equal JSON. */
export type KeyOf = (value: Json) => string;

/**
 * Numbers every object and array of the documents so that equal ones share a number, in time linear
 * in their size; comparing any two of their values then takes one step.
 */
export function keysOf(documents: readonly Json[]): KeyOf {
  const keys = new Map<object, string>();
  const known = new Map<string, string>();

  function keyOf(value: Json): string {
    if (typeof value !== "object" || value === null) return JSON.stringify(value);
    const key = keys.get(value) ?? number(value);
    keys.set(value, key);
    return key;
  }

  function number(value: Json[] | { [key: string]: Json }): string {
    const text = Array.isArray(value)
      ? `[${value.map(keyOf).join(",")}]`
      : `{${Object.entries(value)
          .map(([name, child]) => `${JSON.stringify(name)}:${keyOf(child)}`)
          .toSorted()
          .join(",")}}`;
    const key = known.get(text) ?? `#${known.size}`;
    known.set(text, key);
    return key;
  }

  documents.forEach(keyOf);
  return keyOf;
}
