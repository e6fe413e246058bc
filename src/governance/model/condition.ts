import { isJsonObject, type Json, type JsonObject, type JsonScalar } from "../../kernel/json.ts";
import { fail, ok, preview, type Result } from "../../kernel/result.ts";

const NUMBER_OPERATORS = ["gt", "gte", "lt", "lte"] as const;
const SCALAR_OPERATORS = ["eq", "ne"] as const;
const LIST_OPERATORS = ["in", "notIn"] as const;
const TEXT_OPERATORS = ["startsWith", "matches"] as const;
export const OPERATORS = [
  ...SCALAR_OPERATORS,
  ...LIST_OPERATORS,
  ...NUMBER_OPERATORS,
  ...TEXT_OPERATORS,
  "exists",
] as const;

/** One comparison of a field of the call, such as `parameters.amount`, with a value. */
export type Comparison = { readonly field: string } & (
  | { readonly operator: (typeof NUMBER_OPERATORS)[number]; readonly value: number }
  | { readonly operator: (typeof SCALAR_OPERATORS)[number]; readonly value: JsonScalar }
  | { readonly operator: (typeof LIST_OPERATORS)[number]; readonly value: readonly JsonScalar[] }
  | { readonly operator: (typeof TEXT_OPERATORS)[number]; readonly value: string }
  | { readonly operator: "exists"; readonly value: boolean }
);

/** When a policy applies. An empty `all` is always true. */
export type Condition =
  | { readonly kind: "all" | "any"; readonly conditions: readonly Condition[] }
  | { readonly kind: "not"; readonly condition: Condition }
  | { readonly kind: "comparison"; readonly comparison: Comparison };

/** What a condition can compare. `estimatedCost`: the highest possible price of the call, in US dollars. */
export interface ConditionInput {
  readonly parameters: JsonObject;
  readonly agentId: string | null;
  readonly estimatedCost: number;
}

/** The paths of the parameters that a condition compares, such as `order.amount`. */
export function listParameterPaths(condition: Condition): readonly string[] {
  switch (condition.kind) {
    case "comparison": {
      const [first, ...path] = condition.comparison.field.split(".");
      return first === "parameters" ? [path.join(".")] : [];
    }
    case "not":
      return listParameterPaths(condition.condition);
    case "all":
    case "any":
      return condition.conditions.flatMap(listParameterPaths);
  }
}

export function countComparisons(condition: Condition): number {
  switch (condition.kind) {
    case "comparison":
      return 1;
    case "not":
      return countComparisons(condition.condition);
    case "all":
    case "any":
      return condition.conditions.reduce((sum, one) => sum + countComparisons(one), 0);
  }
}

/** Whether a text contains a match of an RE2 pattern; a failure if the pattern cannot be used. */
export type PatternMatcher = (text: string, pattern: string) => Result<boolean, string>;

/** Whether a condition is true of a call; a failure, such as a comparison of a string with a number, is a sentence. */
export function evaluateCondition(
  condition: Condition,
  input: ConditionInput,
  matches: PatternMatcher,
): Result<boolean, string> {
  switch (condition.kind) {
    case "comparison":
      return compare(condition.comparison, input, matches);
    case "not": {
      const inner = evaluateCondition(condition.condition, input, matches);
      return inner.ok ? ok(!inner.value) : inner;
    }
    case "all":
    case "any": {
      // Every part is evaluated, so that the order of the parts cannot hide a failure.
      const parts = condition.conditions.map((one) => evaluateCondition(one, input, matches));
      const failed = parts.find((part) => !part.ok);
      if (failed !== undefined) return failed;
      const isTrue = (part: Result<boolean, string>): boolean => part.ok && part.value;
      return ok(condition.kind === "all" ? parts.every(isTrue) : parts.some(isTrue));
    }
  }
}

function compare(
  comparison: Comparison,
  input: ConditionInput,
  matches: PatternMatcher,
): Result<boolean, string> {
  const { field, operator, value: operand } = comparison;
  const value = readField(input, field);
  // Tools can treat null like a missing value.
  if (operator === "exists") return ok(((value ?? null) !== null) === operand);
  // A missing value is different from every value.
  if (value === undefined) return ok(operator === "ne" || operator === "notIn");
  switch (operator) {
    case "eq":
    case "ne":
      return equals(comparison, value, [operand], operator === "eq");
    case "in":
    case "notIn":
      return equals(comparison, value, operand, operator === "in");
    case "startsWith":
    case "matches":
      if (typeof value !== "string") return fail(typeFailure(comparison, "a string", value));
      return operator === "matches" ? matches(value, operand) : ok(value.startsWith(operand));
    case "gt":
    case "gte":
    case "lt":
    case "lte":
      if (typeof value !== "number") return fail(typeFailure(comparison, "a number", value));
      return ok(isInOrder(value, operator, operand));
  }
}

/**
 * Whether it is `expected` that a value equals one of the operands. Tools can send `"5"`, `5` and `["5"]` in the same
 * way, so a value of another type is a failure and not a different value.
 */
function equals(
  comparison: Comparison,
  value: Json,
  operands: readonly JsonScalar[],
  expected: boolean,
): Result<boolean, string> {
  if (!isComparable(value, operands))
    return fail(typeFailure(comparison, "of the same type as the value", value));
  return ok(operands.some((one) => one === value) === expected);
}

/** Whether a value has the type of one of the operands. Null can be compared with every type. */
function isComparable(value: Json, operands: readonly JsonScalar[]): boolean {
  if (value === null) return true;
  if (typeof value === "object") return false;
  return operands.some((operand) => operand === null || typeof operand === typeof value);
}

function typeFailure({ field, operator }: Comparison, type: string, value: Json): string {
  return `"${field}" must be ${type} for the operator "${operator}", got ${preview(value)}.`;
}

/** Whether a number satisfies the operator's bound. */
export function isInOrder(
  value: number,
  operator: (typeof NUMBER_OPERATORS)[number],
  bound: number,
): boolean {
  switch (operator) {
    case "gt":
      return value > bound;
    case "gte":
      return value >= bound;
    case "lt":
      return value < bound;
    case "lte":
      return value <= bound;
  }
}

/** The value of a field such as `parameters.order.amount`; undefined if it is missing. */
function readField(input: ConditionInput, field: string): Json | undefined {
  if (field === "agentId") return input.agentId ?? undefined;
  if (field === "estimatedCost") return input.estimatedCost;
  return readPath(input.parameters, field.split(".").slice(1));
}

/** The value at a path. The name of a parameter can contain dots, so the longest name that exists is used. */
function readPath(value: Json | undefined, path: readonly string[]): Json | undefined {
  if (path.length === 0) return value;
  const [first = "", ...rest] = path;
  if (Array.isArray(value))
    return /^\d+$/.test(first) ? readPath(value[Number(first)], rest) : undefined;
  if (!isJsonObject(value)) return undefined;
  for (let length = path.length; length > 0; length -= 1) {
    const name = path.slice(0, length).join(".");
    if (Object.hasOwn(value, name)) return readPath(value[name], path.slice(length));
  }
  return undefined;
}
