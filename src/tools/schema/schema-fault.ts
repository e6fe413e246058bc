import type { JsonObject } from "../../domain/json.ts";
import { shown, type Problem } from "../../domain/problem.ts";
import { factsOf } from "./facts.ts";
import { inspectSchema } from "./inspect.ts";
import { prepared } from "./prepared.ts";
import { runValidator } from "./validator.ts";
import { metered, type Spend } from "./work.ts";

// About a second at worst, which one request may spend on all its schemas together.
const UNITS_MAX = 1_000_000;
const ROOT = "schema";

/** Why a schema (draft 2020-12) could not judge values, as the continuation of its path; null when it can. */
export type JudgeSchema = (schema: JsonObject) => string | null;

/** Judges schemas for as much work as one request may cause. */
export function judgeOfSchemas(): JudgeSchema {
  let left = UNITS_MAX;
  return (schema) => {
    const outcome = metered(left, (spend) =>
      fault(schema, (units) => {
        left -= units;
        spend(units);
      }),
    );
    if (!outcome.ok)
      return "must take less work to check, and must not refer to itself without end";
    if (outcome.value === null) return null;
    const { path, message } = outcome.value;
    return path === ROOT ? message : `must be mended: ${path.slice(ROOT.length + 1)} ${message}`;
  };
}

function fault(schema: JsonObject, spend: Spend): Problem | null {
  const question = {
    document: null,
    facts: factsOf(null),
    schema: prepared(schema, spend),
    draft: "2020-12",
  } as const;
  const run = runValidator(question, true, spend);
  return run.ok ? boundOfDraft4(schema) : (run.failure[0] ?? null);
}

/** Draft 4 wrote these bounds as booleans, which later drafts do not know. */
function boundOfDraft4(schema: JsonObject): Problem | null {
  for (const { schema: subschema, path } of inspectSchema(schema).subschemas) {
    for (const keyword of ["exclusiveMinimum", "exclusiveMaximum"]) {
      const bound = subschema[keyword];
      if (typeof bound !== "boolean") continue;
      return { path: `${path}.${keyword}`, message: `must be a number, got ${shown(bound)}` };
    }
  }
  return null;
}
