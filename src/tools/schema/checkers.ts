import type { Json, JsonObject } from "../../kernel/json.ts";
import { preview, type Problem, fail, ok, type Result } from "../../kernel/result.ts";
import { measureDocument } from "./document-facts.ts";
import { inspectSchema } from "./inspect-schema.ts";
import { prepareSchema } from "./prepare-schema.ts";
import { runValidator, type ValidatorInput } from "./validator.ts";
import { runMetered, type SpendUnits } from "./work-limit.ts";
import { explainErrors } from "./explain/explain.ts";

// At most about a fifth of a second, for all parameters of a call together.
const VALUE_UNITS_MAX = 200_000;
// The share of the remaining work for finding all errors; the rest is for the first errors.
const ALL_ERRORS_SHARE = 0.5;

/** The problems of a value called `name`, or why its schema is unusable. */
type CheckValue = (
  name: string,
  schema: JsonObject,
  value: Json,
) => Result<Problem[], "unusable" | "work_exceeded">;

/** Validates values against their schemas (draft 2020-12), within the work limit of a call. */
export function createValueChecker(): CheckValue {
  const budget = { left: VALUE_UNITS_MAX };
  return (name, schema, value) => {
    for (const isBrief of [false, true]) {
      if (budget.left <= 0) break;
      const outcome = runWithin(budget, isBrief ? 1 : ALL_ERRORS_SHARE, (spend) =>
        checkValue(name, schema, value, isBrief, spend),
      );
      if (outcome.ok) return outcome.value;
    }
    return fail("work_exceeded");
  };
}

/** Runs `work` within a share of the units that are left, and deducts what it spends. */
function runWithin<Value>(
  budget: { left: number },
  share: number,
  work: (spend: SpendUnits) => Value,
) {
  return runMetered(budget.left * share, (spend) =>
    work((units) => {
      budget.left -= units;
      spend(units);
    }),
  );
}

function checkValue(
  name: string,
  schema: JsonObject,
  value: Json,
  isBrief: boolean,
  spend: SpendUnits,
): Result<Problem[], "unusable"> {
  const findings = runValidator(buildQuestion(schema, value, spend), isBrief, spend);
  if (!findings.ok) return fail("unusable");
  if (findings.value.errors.length === 0) return ok([]);
  return ok(explainErrors(name, { document: value, findings: findings.value, spend }));
}

function buildQuestion(schema: JsonObject, document: Json, spend: SpendUnits): ValidatorInput {
  const facts = measureDocument(document);
  return { document, facts, schema: prepareSchema(schema, spend), draft: "2020-12" };
}

// At most about a second, for all schemas of a request together.
const SCHEMA_UNITS_MAX = 1_000_000;
const SCHEMA_ROOT = "schema";

/** Why a schema (draft 2020-12) is unusable, as the continuation of its path; null if it is usable. */
type CheckSchema = (schema: JsonObject) => string | null;

/** Checks schemas within the work limit of a request. */
export function createSchemaChecker(): CheckSchema {
  const budget = { left: SCHEMA_UNITS_MAX };
  return (schema) => {
    const outcome = runWithin(budget, 1, (spend) => findSchemaProblem(schema, spend));
    if (!outcome.ok)
      return "must take less work to check, and must not refer to itself without end";
    if (outcome.value === null) return null;
    const { path, message } = outcome.value;
    return path === SCHEMA_ROOT
      ? message
      : `must be corrected: ${path.slice(SCHEMA_ROOT.length + 1)} ${message}`;
  };
}

function findSchemaProblem(schema: JsonObject, spend: SpendUnits): Problem | null {
  const run = runValidator(buildQuestion(schema, null, spend), true, spend);
  return run.ok ? findDraft4Bound(schema) : (run.failure[0] ?? null);
}

/** Draft 4 has boolean bounds, which later drafts do not support. */
function findDraft4Bound(schema: JsonObject): Problem | null {
  for (const { schema: subschema, path } of inspectSchema(schema).subschemas) {
    for (const keyword of ["exclusiveMinimum", "exclusiveMaximum"]) {
      const bound = subschema[keyword];
      if (typeof bound !== "boolean") continue;
      return { path: `${path}.${keyword}`, message: `must be a number, got ${preview(bound)}` };
    }
  }
  return null;
}
