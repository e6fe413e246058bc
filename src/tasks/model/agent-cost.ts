import { MINUTE_MS, SECOND_MS, sumDollars } from "../../kernel/units.ts";
import { BUDGET_SECONDS_MAX } from "../limits.ts";
import { remainingCost } from "./budget.ts";
import type { Task, TaskBase, TaskBudget, TaskError, TaskSpend } from "./task.ts";

/**
 * Adds a cost of an agent's work other than its calls: its price, or a cost that its worker reported. All such costs are
 * added here, in US dollars.
 */
export function addAgentCost(before: TaskSpend, cost: number): TaskSpend {
  if (cost === 0) return before;
  return {
    ...before,
    cost: sumDollars([before.cost, cost]),
    agentCost: sumDollars([before.agentCost ?? 0, cost]),
  };
}

/** The price per task that the task still has to pay to its agent. */
function unpaidTaskPrice({
  terms,
  agentId,
  paidAgentIds,
}: Pick<TaskBase, "terms" | "agentId" | "paidAgentIds">): number {
  return agentId === null || paidAgentIds.includes(agentId) ? 0 : (terms.price?.perTask ?? 0);
}

/** Pays the agent's price per task, once per agent. Does nothing if the budget does not cover it. */
export function payTaskPrice(base: TaskBase): Partial<Pick<TaskBase, "spend" | "paidAgentIds">> {
  const { agentId, budget, spend, paidAgentIds } = base;
  const price = unpaidTaskPrice(base);
  if (price === 0 || agentId === null) return {};
  if (price > (remainingCost(budget, spend) ?? Infinity)) return {};
  return { spend: addAgentCost(spend, price), paidAgentIds: [...paidAgentIds, agentId] };
}

/** The task's spend at `now`, including the agent's price per minute since it last started working. */
export function spendAt(task: Task, now: number): TaskSpend {
  const perMinute = task.terms.price?.perMinute ?? 0;
  if (task.status !== "in_progress" || task.workingSince === null) return task.spend;
  // The clock can be set back.
  const workedMs = Math.max(0, now - task.workingSince);
  return addAgentCost(task.spend, (perMinute * workedMs) / MINUTE_MS);
}

/**
 * When the budget no longer covers the agent's work: at once if its price per task is unpaid or the spend exceeds the
 * budget, otherwise when the price per minute has used it up; null if it covers the work. Calls and model turns are
 * checked before they are made.
 */
export function costEndsAt(task: Task): number | null {
  const { budget, terms, spend } = task;
  if (task.status !== "in_progress" || task.workingSince === null) return null;
  const mayCost = terms.price !== undefined || terms.executor === "worker";
  if (budget?.maxCost === undefined || !mayCost) return null;
  const left = sumDollars([budget.maxCost, -spend.cost]);
  const hasOverspent = left < 0 && (spend.agentCost ?? 0) > 0;
  if (hasOverspent || unpaidTaskPrice(task) > 0) return task.workingSince;
  const perMinute = terms.price?.perMinute ?? 0;
  if (perMinute === 0) return null;
  const leftMs = Math.ceil((Math.max(0, left) * MINUTE_MS) / perMinute);
  return leftMs <= BUDGET_SECONDS_MAX * SECOND_MS ? task.workingSince + leftMs : null;
}

const UNCOVERED = "does not cover more of the agent's work.";
const RAISE =
  'Answer with a higher limit, such as {"maxCost": 2}, to continue. With any other answer, the attempt fails.';

/** The question to ask if the budget does not cover the agent's work. */
export function agentCostQuestion(budget: TaskBudget | null): string {
  return `The budget of $${budget?.maxCost} ${UNCOVERED} ${RAISE}`;
}

/** Whether the service asked this question, so that its answer is not meant for the agent. */
export function isAgentCostQuestion(question: string): boolean {
  return question.endsWith(`${UNCOVERED} ${RAISE}`);
}

/** The error after an answer that did not raise the budget. */
export function agentCostError(budget: TaskBudget | null): TaskError {
  const message = `The budget of $${budget?.maxCost} ${UNCOVERED}`;
  return { code: "BUDGET_EXCEEDED", message, retryable: false };
}
