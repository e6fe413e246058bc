import { isJsonObject, type Json, type JsonScalar } from "../../kernel/json.ts";
import { fail, ok, preview, type Problem, type Result } from "../../kernel/result.ts";
import {
  CONDITION_COMPARISONS_MAX,
  CONDITION_DEPTH_MAX,
  CONDITION_TEXT_CHARACTERS_MAX,
  CONDITION_VALUES_MAX,
} from "../limits.ts";
import { OPERATORS, type Comparison, type Condition } from "./condition.ts";

/** The fields of a call that are not parameters, with the types of their values. */
const CALL_FIELDS: Readonly<Record<string, "string" | "number">> = {
  agentId: "string",
  estimatedCost: "number",
};
const PARAMETER_FIELD = /^parameters(?:\.[^.]+)+$/;

/**
 * Parses a condition from its JSON format: `{"parameters.amount": {"gt": 50000}}`, `{"and": […]}`, `{"or": […]}` or
 * `{"not": {…}}`. Several fields, or several operators of a field, must all be true. `check` returns the problem with a
 * pattern of the operator `matches`; null if there is none.
 */
export function parseCondition(
  source: Json,
  check: (pattern: string) => string | null,
): Result<Condition, readonly Problem[]> {
  const problems: Problem[] = [];
  let comparisons = 0;

  function parseObject(value: Json, path: string, depth: number): Condition {
    const nothing: Condition = { kind: "all", conditions: [] };
    if (depth > CONDITION_DEPTH_MAX) {
      problems.push({ path, message: `must be nested at most ${CONDITION_DEPTH_MAX} levels deep` });
      return nothing;
    }
    if (!isJsonObject(value) || Object.keys(value).length === 0) {
      problems.push({
        path,
        message: `must be an object with at least one field, got ${preview(value)}`,
      });
      return nothing;
    }
    const conditions = Object.entries(value).map(([key, part]) =>
      parseEntry(key, part, `${path}.${key}`, depth),
    );
    return conditions.length === 1 && conditions[0] ? conditions[0] : { kind: "all", conditions };
  }

  function parseEntry(key: string, value: Json, path: string, depth: number): Condition {
    if (key === "not") return { kind: "not", condition: parseObject(value, path, depth + 1) };
    if (key !== "and" && key !== "or") return parseField(key, value, path);
    const parts = Array.isArray(value) ? value : [];
    if (parts.length === 0)
      problems.push({ path, message: `must be a list of conditions, got ${preview(value)}` });
    const conditions = parts.map((part, index) =>
      parseObject(part, `${path}[${index}]`, depth + 1),
    );
    return { kind: key === "and" ? "all" : "any", conditions };
  }

  function parseField(field: string, value: Json, path: string): Condition {
    if (!Object.hasOwn(CALL_FIELDS, field) && !PARAMETER_FIELD.test(field)) {
      const message = `is not a field of a call; use "parameters.<name>", ${Object.keys(CALL_FIELDS)
        .map((one) => `"${one}"`)
        .join(", ")}, "and", "or" or "not"`;
      problems.push({ path, message });
    }
    if (!isJsonObject(value) || Object.keys(value).length === 0) {
      const message = `must be an object with at least one operator (${OPERATORS.join(", ")}), got ${preview(value)}`;
      problems.push({ path, message });
      return { kind: "all", conditions: [] };
    }
    const conditions = Object.entries(value).flatMap(([operator, operand]): Condition[] => {
      comparisons += 1;
      const comparison = parseComparison(field, operator, operand, check);
      const typeProblem = comparison.ok ? checkOperandType(comparison.value) : null;
      if (typeProblem !== null) {
        problems.push({ path: `${path}.${operator}`, message: typeProblem });
        return [];
      }
      if (comparison.ok) return [{ kind: "comparison", comparison: comparison.value }];
      problems.push({ path: `${path}.${operator}`, message: comparison.failure });
      return [];
    });
    return { kind: "all", conditions };
  }

  const condition = parseObject(source, "when", 1);
  if (comparisons > CONDITION_COMPARISONS_MAX) {
    const message = `must contain at most ${CONDITION_COMPARISONS_MAX} comparisons, got ${comparisons}`;
    problems.push({ path: "when", message });
  }
  return problems.length > 0 ? fail(problems) : ok(condition);
}

function parseComparison(
  field: string,
  name: string,
  operand: Json,
  check: (pattern: string) => string | null,
): Result<Comparison, string> {
  const operator = OPERATORS.find((one) => one === name);
  switch (operator) {
    case undefined:
      return fail(`is not an operator; use one of ${OPERATORS.join(", ")}`);
    case "exists":
      if (typeof operand !== "boolean")
        return fail(`must be true or false, got ${preview(operand)}`);
      return ok({ field, operator, value: operand });
    case "gt":
    case "gte":
    case "lt":
    case "lte":
      if (typeof operand !== "number") return fail(`must be a number, got ${preview(operand)}`);
      return ok({ field, operator, value: operand });
    case "startsWith":
    case "matches": {
      if (!isText(operand)) return fail(textProblem(operand));
      const problem = operator === "matches" ? check(operand) : null;
      return problem === null ? ok({ field, operator, value: operand }) : fail(problem);
    }
    case "eq":
    case "ne":
      if (!isScalar(operand)) return fail(scalarProblem(operand));
      return ok({ field, operator, value: operand });
    case "in":
    case "notIn":
      return parseList(field, operator, operand);
  }
}

/** The problem with comparing a field that is not a parameter with values of another type; null if there is none. */
function checkOperandType({ field, operator, value }: Comparison): string | null {
  const type = Object.hasOwn(CALL_FIELDS, field) ? CALL_FIELDS[field] : undefined;
  if (type === undefined || operator === "exists") return null;
  const operands = typeof value === "object" && value !== null ? value : [value];
  const isMatching = operands.every((operand) => typeof operand === type);
  return isMatching ? null : `must be a ${type}, because "${field}" is one`;
}

function parseList(
  field: string,
  operator: "in" | "notIn",
  operand: Json,
): Result<Comparison, string> {
  const values = Array.isArray(operand) ? operand : [];
  if (values.length === 0 || values.length > CONDITION_VALUES_MAX)
    return fail(`must be a list of 1 to ${CONDITION_VALUES_MAX} values, got ${preview(operand)}`);
  const scalars = values.filter(isScalar);
  const wrong = values.find((value) => !isScalar(value));
  return wrong === undefined ? ok({ field, operator, value: scalars }) : fail(scalarProblem(wrong));
}

function isText(value: Json): value is string {
  return typeof value === "string" && value !== "" && value.length <= CONDITION_TEXT_CHARACTERS_MAX;
}

function textProblem(value: Json): string {
  return `must be a string of 1 to ${CONDITION_TEXT_CHARACTERS_MAX} characters, got ${preview(value)}`;
}

function isScalar(value: Json): value is JsonScalar {
  if (typeof value === "string") return value.length <= CONDITION_TEXT_CHARACTERS_MAX;
  return value === null || typeof value !== "object";
}

function scalarProblem(value: Json): string {
  return `must be a string of at most ${CONDITION_TEXT_CHARACTERS_MAX} characters, a number, true, false or null, got ${preview(value)}`;
}
