import { stringify } from "yaml";
import type { Json } from "../../../../domain/json.ts";
import type { Problem } from "../../../../domain/problem.ts";
import { fail, ok, type Result } from "../../../../domain/result.ts";
import { CONTENT, type Writing } from "./formats.ts";

// The library takes about four microseconds for a value.
const VALUES_MAX = 250_000;

/** YAML 1.2 that readers of YAML 1.1 take the same way: "no" is quoted, being a boolean there. */
export function writeYaml(value: Json): Result<Writing, Problem> {
  const values = countOf(value);
  if (values > VALUES_MAX) {
    const message = `must hold at most ${VALUES_MAX} values to become YAML, got ${values}`;
    return fail({ path: CONTENT, message });
  }
  const content = stringify(value, {
    schema: "core",
    compat: "yaml-1.1",
    lineWidth: 0,
    aliasDuplicateObjects: false,
  });
  return ok({ content, notes: [] });
}

function countOf(value: Json): number {
  if (typeof value !== "object" || value === null) return 1;
  return Object.values(value).reduce<number>((sum, child) => sum + countOf(child), 1);
}
