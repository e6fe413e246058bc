import type { JsonObject } from "../../kernel/json.ts";
import { preview, type Problem, fail, ok, type Result } from "../../kernel/result.ts";
import {
  PARAMETER_TYPES,
  type Parameter,
  type ParameterType,
} from "../../tools/model/capability.ts";

type ParameterSignature = `${string}: ${ParameterType}`;

/** Builds parameters from signatures, such as `"draft?: string"`, and their descriptions. */
export function defineParameters(
  descriptions: Readonly<Record<ParameterSignature, string>>,
): Parameter[] {
  return Object.entries(descriptions).flatMap(([signature, description]) => {
    const [, name = "", optional, typeName] = /^(\w+)(\?)?: (\w+)$/.exec(signature) ?? [];
    const type = PARAMETER_TYPES.find((known) => known === typeName);
    return type === undefined
      ? []
      : [{ name, type, required: optional === undefined, description }];
  });
}

export function collectProblems(results: readonly Result<unknown, Problem>[]): Problem[] {
  return results.flatMap((result) => (result.ok ? [] : [result.failure]));
}

/** The table parameters that `readTable` reads. */
export const TABLE_PARAMETERS = {
  "csv?: string": "The table as CSV text with a header line; send either csv or data.",
  "data?: array": "The table as an array of row objects; send either csv or data.",
} as const;

/** Reads the parameter `path` as a whole number from `min` to `max`. Returns `fallback` if it is absent. */
export function parseWholeNumber<Fallback extends number | null>(
  path: string,
  { [path]: value }: JsonObject,
  [min, max]: readonly [min: number, max: number],
  fallback: Fallback,
): Result<number | Fallback, Problem> {
  if (value === undefined) return ok(fallback);
  if (typeof value === "number" && Number.isInteger(value) && value >= min && value <= max)
    return ok(value);
  const message = `must be a whole number from ${min} to ${max}, got ${preview(value)}`;
  return fail({ path, message });
}
