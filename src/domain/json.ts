/** Any JSON value (RFC 8259). */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** A JSON object, such as a body, a task's context or a capability's result. */
export type JsonObject = { [key: string]: Json };

export function isJsonObject(value: Json | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
