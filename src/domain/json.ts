/** Any JSON value (RFC 8259). */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** A JSON object, such as a body, a task's context or a capability's result. */
export type JsonObject = { [key: string]: Json };

export function isJsonObject(value: Json | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Whether two values are equal as JSON; the order of an object's keys does not matter. */
export function isSameJson(one: unknown, other: unknown): boolean {
  return JSON.stringify(one, sorted) === JSON.stringify(other, sorted);
}

function sorted(_key: string, value: Json): Json {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
