import { isJsonObject, type Json } from "../../kernel/json.ts";

/** A short key that two values share exactly if they are equal as JSON. */
export type ToEqualityKey = (value: Json) => string;

/** Assigns equal objects and arrays the same number, in linear time, so that any two values compare in one step. */
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

/** The properties of a document on which the cost of keywords depends. */
export interface DocumentFacts {
  /** Characters of the longest string or property name. */
  readonly longestText: number;
  /** Whether any array contains two equal items. */
  readonly hasRepeatedItems: boolean;
  /** Pairs of items, over all arrays. */
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
