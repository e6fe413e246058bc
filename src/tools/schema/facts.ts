import { isJsonObject, type Json } from "../../domain/json.ts";
import { keysOf } from "./equality.ts";

/** What decides how dear a document can make a schema's keywords. */
export interface Facts {
  /** Characters of the longest string or property name. */
  readonly longestText: number;
  /** Whether any array holds two equal items. */
  readonly hasRepeatedItems: boolean;
  /** Pairs of items within arrays, over all of them. */
  readonly itemPairs: number;
}

export function factsOf(document: Json): Facts {
  const keyOf = keysOf([document]);
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
