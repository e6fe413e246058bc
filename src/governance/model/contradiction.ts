import type { JsonScalar } from "../../kernel/json.ts";
import { preview } from "../../kernel/result.ts";
import { isInOrder, type Comparison, type Condition } from "./condition.ts";

/** Why a condition can never be true; null if no contradiction was found. */
export function findContradiction(condition: Condition): string | null {
  if (condition.kind === "not") return null;
  if (condition.kind === "any") {
    const contradictions = condition.conditions.map(findContradiction);
    return contradictions.every((one) => one !== null) ? (contradictions[0] ?? null) : null;
  }
  const required = requiredComparisons(condition);
  for (const [field, comparisons] of Map.groupBy(required, (one) => one.field)) {
    if (isContradictory(comparisons)) {
      const listed = comparisons.map(({ operator, value }) => `${operator} ${preview(value)}`);
      return `no value of "${field}" is ${listed.join(" and ")}`;
    }
  }
  if (condition.kind === "comparison") return null;
  return condition.conditions.map(findContradiction).find((one) => one !== null) ?? null;
}

/** The comparisons that must all be true for the condition to be true. */
function requiredComparisons(condition: Condition): readonly Comparison[] {
  if (condition.kind === "comparison") return [condition.comparison];
  return condition.kind === "all" ? condition.conditions.flatMap(requiredComparisons) : [];
}

function isContradictory(comparisons: readonly Comparison[]): boolean {
  const mustBeMissing = comparisons.some(({ operator, value }) => operator === "exists" && !value);
  if (mustBeMissing && comparisons.some(needsValue)) return true;
  const [candidates] = comparisons.flatMap(({ operator, value }) => {
    if (operator === "eq") return [[value]];
    return operator === "in" ? [value] : [];
  });
  if (candidates !== undefined)
    return !candidates.some((value) => comparisons.every((one) => allows(one, value)));
  return isEmptyInterval(comparisons);
}

/** Whether a comparison is false if the value is missing and if it is null, which `exists` treats as missing. */
function needsValue({ operator, value }: Comparison): boolean {
  switch (operator) {
    case "exists":
      return value;
    case "eq":
      return value !== null;
    case "in":
      return !value.includes(null);
    case "ne":
    case "notIn":
      return false;
    default:
      return true;
  }
}

/** Whether no number is within the bounds. */
function isEmptyInterval(comparisons: readonly Comparison[]): boolean {
  let low = -Infinity;
  let high = Infinity;
  for (const { operator, value } of comparisons) {
    if (operator === "gt" || operator === "gte") low = Math.max(low, value);
    if (operator === "lt" || operator === "lte") high = Math.min(high, value);
  }
  if (low !== high) return low > high;
  return comparisons.some(
    ({ operator, value }) => (operator === "gt" || operator === "lt") && value === low,
  );
}

/** Whether a value passes a comparison, as far as that is known without evaluating patterns. */
function allows({ operator, value: operand }: Comparison, value: JsonScalar): boolean {
  switch (operator) {
    case "eq":
      return value === operand;
    case "ne":
      return value !== operand;
    case "in":
      return operand.includes(value);
    case "notIn":
      return !operand.includes(value);
    case "startsWith":
      return typeof value === "string" && value.startsWith(operand);
    case "matches":
      return typeof value === "string";
    case "exists":
      return operand === (value !== null);
    default:
      return typeof value === "number" && isInOrder(value, operator, operand);
  }
}
