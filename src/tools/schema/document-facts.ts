import { isJsonObject, type Json } from "../../kernel/json.ts";

/** A short text that two values of the documents share exactly when they are equal JSON. */
export type ToEqualityKey = (value: Json) => string;

/**
 * Numbers every object and array of the documents so that equal ones share a number, in time linear
 * in their size; comparing any two of their values then takes one step.
 */
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

/** What decides how dear a document can make a schema's keywords. */
export interface DocumentFacts {
  /** Characters of the longest string or property name. */
  readonly longestText: number;
  /** Whether any array holds two equal items. */
  readonly hasRepeatedItems: boolean;
  /** Pairs of items within arrays, over all of them. */
  readonly itemPairs: number;
}

export function measureDocument(document: Json): DocumentFacts {
  const keyOf = createEqualityKeys([document]);
  let longestText = 0;
  let hasRepeatedItems = false;
  let itemPairs = 0;
  const open: Json[] = [document];
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    if (typeof value === "string") longestText = Math.max(longestText, value.length);
    if (typeof value !== "object" || value === null) continue;
    for (const child of Object.values(value)) open.push(child);
    if (isJsonObject(value)) {
      for (const name of Object.keys(value)) longestText = Math.max(longestText, name.length);
      continue;
    }
    itemPairs += value.length ** 2;
    hasRepeatedItems ||= new Set(value.map(keyOf)).size < value.length;
  }
  return { longestText, hasRepeatedItems, itemPairs };
}
