import type { Json } from "../../../kernel/json.ts";
import { preview, type Problem } from "../../../kernel/problem.ts";
import { fail, ok, type Result } from "../../../kernel/result.ts";
import { segmentWords } from "./segmentation.ts";

const LETTER = /\p{L}/u;

/** A text with a word in it, in Unicode's composed form. */
export function parseReadableText(value: Json | undefined): Result<string, Problem> {
  const text = typeof value === "string" ? value.normalize("NFC") : "";
  if (segmentWords(text).some(({ normalized }) => LETTER.test(normalized))) return ok(text);
  return fail({ path: "text", message: `must have at least one word, got ${preview(value)}` });
}

/** A whole number from 1 to `max`; `fallback` when it was left out. */
export function parseCount(
  path: string,
  value: Json | undefined,
  max: number,
  fallback: number,
): Result<number, Problem> {
  if (value === undefined) return ok(fallback);
  if (typeof value === "number" && Number.isInteger(value) && value >= 1 && value <= max) {
    return ok(value);
  }
  return fail({ path, message: `must be a whole number from 1 to ${max}, got ${preview(value)}` });
}
