import { fail, ok, type Result } from "../../../../domain/result.ts";
import type { Problem } from "../../../../domain/problem.ts";

/** Bounds what one call can cost: the slowest text of this size takes about a second. */
export const TEMPLATE_CHARACTERS_MAX = 100_000;
export const MARKDOWN_CHARACTERS_MAX = 100_000;

/** `value` as a text of at most `charactersMax` UTF-16 code units, or a Problem at `path`. */
export function textOfSize(
  path: string,
  value: unknown,
  charactersMax: number,
): Result<string, Problem> {
  const text = typeof value === "string" ? value : "";
  if (text.length <= charactersMax) return ok(text);
  const most = charactersMax.toLocaleString("en-US");
  const given = text.length.toLocaleString("en-US");
  return fail({ path, message: `must have at most ${most} characters, got ${given}` });
}
