import type { Json, JsonObject } from "../../kernel/json.ts";
import { preview, type Problem, fail, ok, type Result } from "../../kernel/result.ts";
import { inspectSchema } from "./inspect-schema.ts";
import { prepareSchema } from "./prepare-schema.ts";
import { prepareValidation, type Validation } from "./validator.ts";
import { explainErrors } from "./explain/explain.ts";

// About a fifth of a second at most, for all parameters of a call together.
const VALUE_UNITS_MAX = 200_000;
// Above this estimate, only the first errors are found, because finding and explaining all of them takes several
// times as long.
const ALL_ERRORS_UNITS_MAX = 20_000;

/** Returns the problems with a value called `name`. Fails if its schema is unusable or the work limit is exceeded. */
type CheckValue = (
  name: string,
  schema: JsonObject,
  value: Json,
) => Result<Problem[], "unusable" | "work_exceeded">;

/** Validates values against their schemas (draft 2020-12), within the work limit of a call. */
export function createValueChecker(): CheckValue {
  let unitsLeft = VALUE_UNITS_MAX;
  return (name, schema, document) => {
    if (unitsLeft <= 0) return fail("work_exceeded");
    const question = { document, schema: prepareSchema(schema), draft: "2020-12" } as const;
    const prepared = prepareValidation(question, unitsLeft);
    unitsLeft -= (prepared.ok ? prepared.value : prepared.failure).units;
    if (!prepared.ok) {
      const { reason } = prepared.failure;
      return fail(reason === "work_exceeded" ? reason : "unusable");
    }
    return findProblems(name, document, prepared.value);
  };
}

function findProblems(
  name: string,
  document: Json,
  validation: Validation,
): Result<Problem[], "work_exceeded"> {
  const all = validation.units > ALL_ERRORS_UNITS_MAX ? null : validation.run(false);
  const findings = all ?? validation.run(true);
  if (findings === null) return fail("work_exceeded");
  return ok(findings.errors.length === 0 ? [] : explainErrors(name, { document, findings }));
}

// About a second at most, for all schemas in a request together.
const SCHEMA_UNITS_MAX = 1_000_000;
const SCHEMA_ROOT = "schema";

/** Returns why a schema (draft 2020-12) is unusable, phrased to follow its path; null if it is usable. */
type CheckSchema = (schema: JsonObject) => string | null;

/** Checks schemas within the work limit of a request. */
export function createSchemaChecker(): CheckSchema {
  let unitsLeft = SCHEMA_UNITS_MAX;
  return (schema) => {
    if (unitsLeft <= 0)
      return "was not checked, because earlier schemas used up the work limit; send fewer or simpler schemas";
    const question = { document: null, schema: prepareSchema(schema), draft: "2020-12" } as const;
    const prepared = prepareValidation(question, unitsLeft, true);
    unitsLeft -= (prepared.ok ? prepared.value : prepared.failure).units;
    if (!prepared.ok) {
      const { reason } = prepared.failure;
      return reason === "work_exceeded"
        ? "exceeds the work limit or refers to itself endlessly; simplify it"
        : formatSchemaProblem(reason[0]);
    }
    return formatSchemaProblem(findDraft4Bound(schema));
  };
}

function formatSchemaProblem(problem: Problem | undefined): string | null {
  if (problem === undefined) return null;
  const { path, message } = problem;
  return path === SCHEMA_ROOT
    ? message
    : `must be corrected: ${path.slice(SCHEMA_ROOT.length + 1)} ${message}`;
}

/** Finds a boolean bound from draft 4, which later drafts do not support. */
function findDraft4Bound(schema: JsonObject): Problem | undefined {
  for (const { schema: subschema, path } of inspectSchema(schema).subschemas) {
    for (const keyword of ["exclusiveMinimum", "exclusiveMaximum"]) {
      const bound = subschema[keyword];
      if (typeof bound !== "boolean") continue;
      return { path: `${path}.${keyword}`, message: `must be a number, got ${preview(bound)}` };
    }
  }
  return undefined;
}
