import type { Json } from "../../../kernel/json.ts";
import { preview, type Problem, fail, ok, type Result } from "../../../kernel/result.ts";
import { segmentWords } from "./segmentation.ts";

const LETTER = /\p{L}/u;

/** A text with at least one word, in NFC. */
export function parseReadableText(value: Json | undefined): Result<string, Problem> {
  const text = typeof value === "string" ? value.normalize("NFC") : "";
  if (segmentWords(text).some(({ normalized }) => LETTER.test(normalized))) return ok(text);
  return fail({ path: "text", message: `must have at least one word, got ${preview(value)}` });
}
