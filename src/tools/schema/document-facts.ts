import type { Json } from "../../kernel/json.ts";

/** Returns a value's key. Two values have the same key if and only if they are equal as JSON. */
export type ToEqualityKey = (value: Json) => string;

/** Assigns the same key to equal objects and arrays, in nearly linear time. A comparison then takes one step. */
export function createEqualityKeys(documents: readonly Json[]): ToEqualityKey {
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

/** Whether any array in the document contains two equal items. */
export function hasRepeatedItems(document: Json): boolean {
  const keyOf = createEqualityKeys([document]);
  const open: Json[] = [document];
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    if (typeof value !== "object" || value === null) continue;
    if (Array.isArray(value) && new Set(value.map(keyOf)).size < value.length) return true;
    for (const child of Object.values(value)) open.push(child);
  }
  return false;
}
