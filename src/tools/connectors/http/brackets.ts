import type { Json, JsonObject } from "../../../domain/json.ts";
import { FORM_VALUES_MAX } from "../../../domain/limits.ts";
import { fail, ok, type Result } from "../../../domain/result.ts";

/**
 * Nested values with their path in brackets, as Stripe and PHP read them: `items[0][price]=5`.
 * Null counts as left out. The failure is what is wrong with the value.
 */
export async function bracketed(fields: JsonObject): Promise<Result<string, string>> {
  // The library passes all values of a level as arguments of one call.
  const problem = formProblem(fields);
  if (problem !== null) return fail(problem);
  const { default: qs } = await import("qs");
  return ok(qs.stringify(fields, { arrayFormat: "indices", skipNulls: true, format: "RFC3986" }));
}

/** Why values are too many for a form; null when they are not. */
export function formProblem(fields: JsonObject): string | null {
  if (!countBeyond(fields, FORM_VALUES_MAX)) return null;
  return `must hold at most ${FORM_VALUES_MAX} values when it is sent as a form`;
}

function countBeyond(fields: JsonObject, max: number): boolean {
  let count = 0;
  const open: Json[] = [fields];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    count += 1;
    if (count > max) return true;
    if (typeof next === "object" && next !== null) {
      for (const child of Object.values(next)) open.push(child);
    }
  }
  return false;
}
