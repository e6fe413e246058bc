import { isJsonObject, type Json } from "../../../../domain/json.ts";
import { shown, type Problem } from "../../../../domain/problem.ts";
import { fail, ok, type Result } from "../../../../domain/result.ts";

// The libraries recurse; a request's own JSON may be 32 deep.
const DEPTH_MAX = 100;

/**
 * The value of a parameter that holds JSON text. As in a request's body, numbers must be finite and
 * integers safe, text must be well-formed without U+0000, and the last of duplicate keys wins.
 */
export function parseDocument(text: string, path: string): Result<Json, Problem> {
  let document: Json;
  try {
    document = JSON.parse(text.replace(/^\uFEFF/, ""));
  } catch (error) {
    const reason = error instanceof SyntaxError ? error.message : "it cannot be parsed";
    return fail({ path, message: `must be JSON text: ${reason}` });
  }
  const open: { value: Json; depth: number }[] = [{ value: document, depth: 0 }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value, depth } = next;
    const fault = typeof value === "object" ? null : scalarFault(value);
    if (fault !== null) return fail({ path, message: fault });
    if (typeof value !== "object" || value === null) continue;
    if (depth === DEPTH_MAX) {
      return fail({ path, message: `must be nested at most ${DEPTH_MAX} levels deep` });
    }
    for (const child of Object.values(value)) open.push({ value: child, depth: depth + 1 });
    const key = isJsonObject(value) ? Object.keys(value).find((name) => !isPlain(name)) : undefined;
    if (key !== undefined) return fail({ path, message: textFault(key) });
  }
  return ok(document);
}

function scalarFault(value: string | number | boolean): string | null {
  if (typeof value === "string") return isPlain(value) ? null : textFault(value);
  if (typeof value !== "number") return null;
  if (!Number.isFinite(value)) return "must hold only numbers that a double can carry";
  const isExact =
    !Number.isInteger(value) || Math.abs(value) >= 1e21 || Number.isSafeInteger(value);
  return isExact ? null : `must hold only safe integers, got ${value}; give it as a string`;
}

function isPlain(text: string): boolean {
  return text.isWellFormed() && !text.includes("\u0000");
}

function textFault(text: string): string {
  return `must hold only well-formed Unicode text without U+0000, got ${shown(text)}`;
}
