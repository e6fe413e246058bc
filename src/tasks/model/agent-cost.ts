import { MINUTE_MS, SECOND_MS, sumDollars } from "../../kernel/units.ts";
import { BUDGET_SECONDS_MAX } from "../limits.ts";
import { remainingCost } from "./budget.ts";
import { addDayCost } from "./day-costs.ts";
import type { ModelUsage, Task, TaskBase, TaskBudget, TaskError, TaskSpend } from "./task.ts";

type Charged = Pick<TaskBase, "spend" | "dayCosts" | "agentId" | "lastAgentId">;

/**
 * Adds a cost of an agent's work other than its calls: its price, or a cost that its worker reported. All such costs are
 * added here, in US dollars.
 */
export function addAgentCost<State extends Charged>(
  before: State,
  cost: number,
  at: number,
): State {
  const { spend, dayCosts, agentId, lastAgentId } = before;
  const agentCost = sumDollars([cost]);
  if (agentCost === 0) return before;
  return {
    ...before,
    spend: {
      ...spend,
      cost: sumDollars([spend.cost, agentCost]),
      agentCost: sumDollars([spend.agentCost ?? 0, agentCost]),
    },
    dayCosts: addDayCost(dayCosts, agentId ?? lastAgentId, at, { agentCost }),
  };
}

/** Adds the tokens and the cost of a model. The cost is already part of the spend. */
export function addModelUsage<State extends TaskBase>(
  before: State,
  { inputTokens, outputTokens, cost: modelCost }: ModelUsage,
  at: number,
): State {
  const { tokens, dayCosts, agentId, lastAgentId } = before;
  const use = { modelCost, inputTokens, outputTokens };
  return {
    ...before,
    tokens: { input: tokens.input + inputTokens, output: tokens.output + outputTokens },
    dayCosts: addDayCost(dayCosts, agentId ?? lastAgentId, at, use),
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
export function payTaskPrice(base: TaskBase, at: number): TaskBase {
  const { agentId, budget, spend, paidAgentIds } = base;
  const price = unpaidTaskPrice(base);
  if (price === 0 || agentId === null) return base;
  if (price > (remainingCost(budget, spend) ?? Infinity)) return base;
  return { ...addAgentCost(base, price, at), paidAgentIds: [...paidAgentIds, agentId] };
}

/** The cost, at the agent's price per minute, of its work since it last started. */
export function minuteCost(task: Task, now: number): number {
  if (task.status !== "in_progress" || task.workingSince === null) return 0;
  // The clock can be set back.
  const workedMs = Math.max(0, now - task.workingSince);
  return ((task.terms.price?.perMinute ?? 0) * workedMs) / MINUTE_MS;
}

/** The task's spend at `now`, including the agent's price per minute since it last started working. */
export function spendAt(task: Task, now: number): TaskSpend {
  return addAgentCost(task, minuteCost(task, now), now).spend;
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
