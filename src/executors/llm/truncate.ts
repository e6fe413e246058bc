import type { Json } from "../../kernel/json.ts";

const ENCODER = new TextEncoder();
/** Escapes make some parts of a text longer than others, so that the first guess can be too long. */
const MARGIN = 0.95;
const QUOTES_BYTES = 2;

/** The bytes that a value takes as JSON in UTF-8: what it costs in the task's log. */
export function measureJsonBytes(value: Json): number {
  return ENCODER.encode(JSON.stringify(value)).byteLength;
}

/** The beginning of a text that takes at most `bytesMax` as JSON, well-formed; null when all of it fits. */
export function truncateToJsonBytes(text: string, bytesMax: number): string | null {
  if (bytesMax < QUOTES_BYTES) return text === "" ? null : "";
  // A character takes at least one byte, so that no more than this can fit.
  let part = text.length <= bytesMax ? text : text.slice(0, bytesMax);
  let bytes = measureJsonBytes(part);
  if (part === text && bytes <= bytesMax) return null;
  while (bytes > bytesMax && part !== "") {
    part = part.slice(0, Math.floor((part.length * bytesMax * MARGIN) / bytes));
    bytes = measureJsonBytes(part);
  }
  return part.replace(/[\ud800-\udbff]$/, "").toWellFormed();
}

/** A text that fits, with a note in its place of what was left out. */
export function truncateWithNote(text: string, bytesMax: number): string {
  const beginning = truncateToJsonBytes(text, bytesMax);
  if (beginning === null) return text.toWellFormed();
  return `${beginning}\n[cut here: ${text.length - beginning.length} of ${text.length} characters left out]`;
}
