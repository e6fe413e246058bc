import { isJsonObject, type Json } from "../../kernel/json.ts";
import { preview, type Problem, fail, ok, type Result } from "../../kernel/result.ts";

// Bounded because the libraries recurse. The limit of 32 levels for request bodies does not apply to JSON in a string.
const DEPTH_MAX = 100;

/** Parses JSON text by the rules for request bodies. If a key is repeated, its last value counts. */
export function parseJsonDocument(text: string, path: string): Result<Json, Problem> {
  let document: Json;
  try {
    document = JSON.parse(text.replace(/^\uFEFF/, ""));
  } catch (error) {
    const reason = error instanceof SyntaxError ? error.message : "it cannot be parsed";
    return fail({ path, message: `must be JSON text: ${reason}` });
  }
  for (const { value, depth } of walkJson(document)) {
    const problem = typeof value === "object" ? null : findScalarProblem(value);
    if (problem !== null) return fail({ path, message: problem });
    if (typeof value !== "object" || value === null) continue;
    if (depth === DEPTH_MAX) {
      return fail({ path, message: `must be nested at most ${DEPTH_MAX} levels deep` });
    }
    const key = isJsonObject(value)
      ? Object.keys(value).find((name) => !isValidText(name))
      : undefined;
    if (key !== undefined) return fail({ path, message: formatTextProblem(key) });
  }
  return ok(document);
}

/** Yields the document and all values in it, parents before children, without recursion. */
export function* walkJson(document: Json): Generator<{ value: Json; depth: number }, void> {
  const open = [{ value: document, depth: 0 }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    yield next;
    if (typeof next.value !== "object" || next.value === null) continue;
    const depth = next.depth + 1;
    for (const value of Object.values(next.value)) open.push({ value, depth });
  }
}

function findScalarProblem(value: string | number | boolean): string | null {
  if (typeof value === "string") return isValidText(value) ? null : formatTextProblem(value);
  if (typeof value !== "number") return null;
  if (!Number.isFinite(value)) return "must contain only numbers in the range of a double";
  const isExact =
    !Number.isInteger(value) || Math.abs(value) >= 1e21 || Number.isSafeInteger(value);
  return isExact ? null : `must contain only safe integers, got ${value}; send it as a string`;
}

function isValidText(text: string): boolean {
  return text.isWellFormed() && !text.includes("\u0000");
}

function formatTextProblem(text: string): string {
  return `must contain only well-formed Unicode text without U+0000, got ${preview(text)}`;
}
