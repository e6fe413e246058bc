import type { Json } from "../../kernel/json.ts";
import { preview, type Problem } from "../../kernel/problem.ts";
import { fail, ok, type Result } from "../../kernel/result.ts";
import type { Parameter } from "../../tools/model/capability.ts";

export function requiredParameter(
  name: string,
  type: Parameter["type"],
  description: string,
): Parameter {
  return { name, type, required: true, description };
}

export function optionalParameter(
  name: string,
  type: Parameter["type"],
  description: string,
): Parameter {
  return { name, type, required: false, description };
}

/** A whole number from `min` to `max`; `fallback` if the parameter is absent. */
export function parseWholeNumber<Fallback extends number | null>(
  path: string,
  value: Json | undefined,
  {
    min,
    max,
    fallback,
  }: { readonly min: number; readonly max: number; readonly fallback: Fallback },
): Result<number | Fallback, Problem> {
  if (value === undefined) return ok(fallback);
  if (typeof value === "number" && Number.isInteger(value) && value >= min && value <= max)
    return ok(value);
  const message = `must be a whole number from ${min} to ${max}, got ${preview(value)}`;
  return fail({ path, message });
}
