import type { JsonObject } from "./json.ts";

/** A context after a change: keys are replaced one by one, and null deletes a key. */
export function mergeContext(context: JsonObject, change: JsonObject): JsonObject {
  const kept = Object.entries(context).filter(([key]) => !Object.hasOwn(change, key));
  const set = Object.entries(change).filter(([, value]) => value !== null);
  // fromEntries makes own properties, so that a key named __proto__ stays an ordinary key.
  return Object.fromEntries([...kept, ...set]);
}
