import type { Json, JsonObject } from "./json.ts";
import type { Budget, Spend } from "./task.ts";

/** What one more call would break, told as a question; null while the budget allows it. */
export function budgetQuestion(budget: Budget | null, spend: Spend): string | null {
  const { maxCost, maxToolCalls } = budget ?? {};
  const goOn =
    "Answer with a higher limit to go on, or with any text to finish with what is there.";
  if (maxToolCalls !== undefined && spend.toolCalls >= maxToolCalls) {
    return `The budget of ${maxToolCalls} tool calls is used up. ${goOn}`;
  }
  if (maxCost !== undefined && spend.cost > 0 && spend.cost >= maxCost) {
    return `The budget of $${maxCost} is used up: $${spend.cost} spent. ${goOn}`;
  }
  return null;
}

/** The budget after an answer to a budget question, which may carry new limits: `{"maxCost": 2}`. */
export function raisedBudget(
  budget: Budget | null,
  response: string | JsonObject | null,
): Budget | null {
  if (response === null || typeof response === "string") return budget;
  const { maxCost, maxToolCalls } = response;
  return {
    ...budget,
    ...(isAmount(maxCost) ? { maxCost } : {}),
    ...(isAmount(maxToolCalls) ? { maxToolCalls } : {}),
  };
}

function isAmount(value: Json | undefined): value is number {
  return typeof value === "number" && Number.isFinite(value) && value >= 0;
}
