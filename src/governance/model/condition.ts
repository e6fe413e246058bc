import type { Json, JsonObject, JsonScalar } from "../../kernel/json.ts";
import { isJsonObject } from "../../kernel/json.ts";
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

/** Whether a text contains a match of an RE2 pattern; a failure if the pattern cannot be used. */
export type PatternMatcher = (text: string, pattern: string) => Result<boolean, string>;

/** Whether a condition is true of a call; a failure, such as a comparison of a text with a number, is a sentence. */
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
  if (operator === "exists") return ok((value !== undefined) === operand);
  // A missing value is different from every value.
  if (value === undefined) return ok(operator === "ne" || operator === "notIn");
  switch (operator) {
    case "eq":
      return ok(value === operand);
    case "ne":
      return ok(value !== operand);
    case "in":
      return ok(operand.some((one) => one === value));
    case "notIn":
      return ok(!operand.some((one) => one === value));
    case "startsWith":
    case "matches":
      if (typeof value !== "string") return fail(typeFailure(comparison, "a text", value));
      return operator === "matches" ? matches(value, operand) : ok(value.startsWith(operand));
    case "gt":
    case "gte":
    case "lt":
    case "lte":
      if (typeof value !== "number") return fail(typeFailure(comparison, "a number", value));
      return ok(isInOrder(value, operator, operand));
  }
}

function typeFailure({ field, operator }: Comparison, type: string, value: Json): string {
  return `"${field}" must be ${type} for the operator "${operator}", got ${preview(value)}.`;
}

/** Whether a number is in the order with a bound that the operator requires. */
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
  let value: Json | undefined = input.parameters;
  for (const name of field.split(".").slice(1)) {
    if (Array.isArray(value)) value = /^\d+$/.test(name) ? value[Number(name)] : undefined;
    else value = isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
  }
  return value;
}
