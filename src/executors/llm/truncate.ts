import { jsonSizeOf } from "../../kernel/json.ts";

/** Escapes make some parts of a text longer than others, so the first guess can be too long. */
const MARGIN = 0.95;
const QUOTES_BYTES = 2;

/** The beginning of a text with at most `bytesMax` bytes as JSON; null if the whole text fits. */
export function truncateToJsonBytes(text: string, bytesMax: number): string | null {
  if (bytesMax < QUOTES_BYTES) return text === "" ? null : "";
  // A character has at least one byte.
  let part = text.length <= bytesMax ? text : text.slice(0, bytesMax);
  let bytes = jsonSizeOf(part);
  if (part === text && bytes <= bytesMax) return null;
  while (bytes > bytesMax && part !== "") {
    part = part.slice(0, Math.floor((part.length * bytesMax * MARGIN) / bytes));
    bytes = jsonSizeOf(part);
  }
  return part.replace(/[\ud800-\udbff]$/, "").toWellFormed();
}

/** The text, cut with a note if it has more than `bytesMax` bytes as JSON. */
export function truncateWithNote(text: string, bytesMax: number): string {
  const beginning = truncateToJsonBytes(text, bytesMax);
  if (beginning === null) return text.toWellFormed();
  return `${beginning}\n[cut here: ${text.length - beginning.length} of ${text.length} characters left out]`;
}
