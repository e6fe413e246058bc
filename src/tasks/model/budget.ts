import type { Json, JsonObject } from "../../kernel/json.ts";
import { sumDollars } from "../../kernel/units.ts";
import { preview, fail, ok, type Result } from "../../kernel/result.ts";
import type { ModelUsage, Task, TaskBlock, TaskBudget, TaskSpend, ToolCall } from "./task.ts";

/** The budget limits that are enforced. */
export const ENFORCED_LIMITS = ["maxCost", "maxToolCalls", "maxDurationSeconds"] as const;
/** Limits that an answer to a budget question can raise. */
const RAISABLE = ["maxCost", "maxToolCalls"] as const;
/** The maximum number of fields that a warning lists. A budget can have thousands. */
const FIELDS_NAMED_MAX = 10;

const GO_ON =
  'Answer with a higher limit, such as {"maxCost": 2} or {"maxToolCalls": 50}, to continue, or with any text to finish with the results so far.';

/** The question to ask if no tool calls are left in the budget; otherwise null. */
export function callLimitQuestion(budget: TaskBudget | null, spend: TaskSpend): string | null {
  const { maxToolCalls } = budget ?? {};
  if (maxToolCalls === undefined || spend.toolCalls < maxToolCalls) return null;
  return `The budget of ${maxToolCalls} tool calls is used up. ${GO_ON}`;
}

/** Whether a task of a `worker` agent is blocked because its budget is used up. */
export function isOverBudget(task: Task): boolean {
  return (
    task.status === "blocked" && task.blocked.kind === "budget" && task.terms.executor === "worker"
  );
}

/** The question to ask if the next call would exceed the budget. */
export function costLimitQuestion(budget: TaskBudget | null): string {
  return `The budget of $${budget?.maxCost} does not cover the next call. ${GO_ON}`;
}

/** The question to ask if the model's next turn would exceed the budget. */
export function turnCostQuestion(budget: TaskBudget | null): string {
  return `The budget of $${budget?.maxCost} does not cover the model's next turn. Answer with a higher limit, such as {"maxCost": 2}, to continue. With any other answer, the attempt fails.`;
}

/** The maximum cost of the next call, in US dollars; null: unlimited. */
export function remainingCost(budget: TaskBudget | null, spend: TaskSpend): number | null {
  const { maxCost } = budget ?? {};
  return maxCost === undefined ? null : Math.max(0, sumDollars([maxCost, -spend.cost]));
}

/**
 * Reserves one call. Returns its maximum cost (null: unlimited) and the reserved price, or the question to ask if no
 * tool calls are left. `reserved`: the number and maximum cost of the calls in progress.
 */
export function reserveFromBudget(
  budget: TaskBudget | null,
  spend: TaskSpend,
  reserved: TaskSpend,
  priceMax: number,
): Result<{ costMax: number | null; price: number }, string> {
  const committed = {
    cost: sumDollars([spend.cost, reserved.cost]),
    toolCalls: spend.toolCalls + reserved.toolCalls,
  };
  const question = callLimitQuestion(budget, committed);
  if (question !== null) return fail(question);
  const costMax = remainingCost(budget, committed);
  return ok({ costMax, price: costMax === null ? priceMax : Math.min(priceMax, costMax) });
}

/** Adds tool calls and model usage to a task's spend. */
export function addSpend(
  before: TaskSpend,
  calls: readonly ToolCall[],
  use?: ModelUsage,
): TaskSpend {
  return {
    ...before,
    cost: sumDollars([before.cost, ...calls.map(({ cost }) => cost), use?.cost ?? 0]),
    toolCalls: before.toolCalls + calls.length,
  };
}

/** Applies the answer to a budget question. The answer may contain new limits, such as `{"maxCost": 2}`. */
export function applyBudgetRaise(
  budget: TaskBudget | null,
  response: string | JsonObject | null,
): TaskBudget | null {
  if (response === null || typeof response === "string") return budget;
  const { maxCost, maxToolCalls } = response;
  return {
    ...budget,
    ...(isAmount(maxCost) ? { maxCost } : {}),
    ...(isAmount(maxToolCalls) ? { maxToolCalls } : {}),
  };
}

/** What the task is waiting for if it is blocked. */
interface Blockable {
  readonly blocked?: Pick<TaskBlock, "kind"> | null;
}

/** Whether an answer to a budget question raises one of the budget's limits. */
export function raisesBudget(
  { blocked, budget }: Pick<Task, "budget"> & Blockable,
  response: string | JsonObject | null,
): boolean {
  if (blocked?.kind !== "budget") return false;
  const after = applyBudgetRaise(budget, response);
  return RAISABLE.some((limit) => {
    const before = budget?.[limit];
    return before !== undefined && (after?.[limit] ?? Infinity) > before;
  });
}

/** Whether a new budget raises or removes one of the limits that are enforced. */
export function raisesLimits(budget: TaskBudget | null, after: TaskBudget): boolean {
  return ENFORCED_LIMITS.some((limit) => {
    const before = budget?.[limit];
    return before !== undefined && (after[limit] ?? Infinity) > before;
  });
}

/**
 * Checks the limits in an answer to a budget question and returns the problems. No limit may be lower than its current
 * value, a limit that was not set must exceed the amount already spent, and at least one limit that was set must be
 * raised.
 */
export function checkBudgetRaise(
  { blocked, budget, spend }: Pick<Task, "budget" | "spend"> & Blockable,
  response: string | JsonObject | null,
): [field: string, problem: string | null][] {
  if (blocked?.kind !== "budget" || response === null || typeof response === "string") return [];
  const limits = RAISABLE.map((name) => {
    const [given, present] = [response[name], budget?.[name]];
    const spent = name === "maxCost" ? spend.cost : spend.toolCalls;
    const isFitting = isAmount(given) && (present === undefined ? given > spent : given >= present);
    const isRaised = isFitting && present !== undefined && given > present;
    return { name, given, present, spent, isFitting, isRaised };
  });
  const given = limits.filter((limit) => limit.given !== undefined);
  const wrong = given.filter(({ isFitting }) => !isFitting);
  const present = limits.filter((limit) => limit.present !== undefined);
  if (given.length === 0) return [];
  if (wrong.length === 0 && (present.length === 0 || limits.some(({ isRaised }) => isRaised))) {
    return [];
  }
  return (wrong.length > 0 ? wrong : present).map((limit) => {
    const rule =
      limit.present === undefined
        ? `above the amount already spent (${limit.spent})`
        : `above the current limit of ${limit.present}`;
    return [`response.${limit.name}`, `must be a number ${rule}, got ${preview(limit.given)}`];
  });
}

function isAmount(value: Json | undefined): value is number {
  return typeof value === "number" && Number.isFinite(value) && value >= 0;
}

/** Returns a warning that lists the budget fields that are not enforced; empty if all are. */
export function budgetWarnings(budget: TaskBudget | null): string[] {
  const enforced: readonly string[] = ENFORCED_LIMITS;
  const others = Object.keys(budget ?? {}).filter((field) => !enforced.includes(field));
  if (others.length === 0) return [];
  const named = others.slice(0, FIELDS_NAMED_MAX).map((field) => preview(field));
  const more = others.length - named.length;
  const all = `${named.join(", ")}${more === 0 ? "" : ` and ${more} more`}`;
  return [
    `budget: ${all} ${others.length === 1 ? "is" : "are"} stored but not enforced. Enforced fields: ${ENFORCED_LIMITS.join(", ")}.`,
  ];
}
