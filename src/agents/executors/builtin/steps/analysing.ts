import type { Task } from "../../../../domain/task.ts";
import type { Hands, StepOutcome } from "../../contract.ts";
import { makeCalls, type Entry } from "../calls.ts";
import { findingsOf } from "../findings.ts";
import { materialOf } from "../material.ts";
import { anew, nothingDone, onward } from "../outcomes.ts";
import { analysingCalls, checkingCalls, wanted } from "../plan.ts";
import { isEndedByBudget, mayProfile } from "../standing.ts";
import { isAsPlanned, workOf } from "../work.ts";

/** Looks into the tables by what their profiles show, and checks the strongest correlations again. */
export async function analysing(task: Task, hands: Hands): Promise<StepOutcome> {
  const { plan, gathered, analysed } = workOf(task.work);
  const { sources } = await materialOf(task);
  if (plan === null || !isAsPlanned(plan, sources)) return anew(task.progress);
  const calls = analysingCalls(findingsOf(sources, gathered), task.task, mayProfile(plan));
  const { granted } = wanted(calls, plan.capabilities);
  const first = await makeCalls(hands, sources, granted, analysed);
  if (first.question !== null) return blocked(first.question, first.entries);
  const checks = wanted(checkingCalls(findingsOf(sources, first.entries)), plan.capabilities);
  const second = await makeCalls(hands, sources, checks.granted, first.entries);
  if (second.question !== null) return blocked(second.question, second.entries);
  const entries = [...gathered, ...second.entries];
  const isHopeless = entries.length > 0 && entries.every(({ found }) => found === null);
  if (isHopeless && !isEndedByBudget(task, entries)) return nothingDone(entries);
  return onward("analysing", { analysed: second.entries });
}

function blocked(question: string, analysed: Entry[]): StepOutcome {
  return { kind: "block", why: "budget", question, work: { analysed } };
}
