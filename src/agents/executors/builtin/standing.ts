import type { Task } from "../../../domain/task.ts";
import type { Entry } from "./calls.ts";
import type { Plan } from "./work.ts";

/** Whether people, asked about the budget, chose to end the calls: they want what is there. */
export function isEndedByBudget({ answers }: Task, entries: readonly Entry[]): boolean {
  const questions = new Set(answers.map(({ question }) => question));
  return entries.some(({ problem }) => problem !== null && questions.has(problem.message));
}

export function mayProfile({ capabilities }: Plan): boolean {
  return capabilities.includes("table-analyst/profile");
}
