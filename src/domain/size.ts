import type { Json, JsonObject } from "./json.ts";

const ENCODER = new TextEncoder();

/** The size of a value as JSON in UTF-8. */
export function jsonBytes(value: Json): number {
  return ENCODER.encode(JSON.stringify(value)).byteLength;
}

/** What is wrong with the size of an object that a task would hold, or null when it will do. */
export function checkBytes(value: JsonObject, bytesMax: number): string | null {
  const bytes = jsonBytes(value);
  if (bytes <= bytesMax) return null;
  return `may hold at most ${bytesMax} bytes as JSON in the task, and would hold ${bytes}`;
}
