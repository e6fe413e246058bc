import type { Task } from "../../../../domain/task.ts";
import type { Hands, StepOutcome } from "../../contract.ts";
import { makeCalls } from "../calls.ts";
import { findingsOf } from "../findings.ts";
import { materialOf } from "../material.ts";
import { anew, nothingDone, onward } from "../outcomes.ts";
import { analysingCalls, gatheringCalls, wanted } from "../plan.ts";
import { isAsPlanned, workOf } from "../work.ts";
import { isEndedByBudget, mayProfile } from "../standing.ts";

/** Reads every source: tables are profiled, texts measured, searched for keywords and summed up. */
export async function gathering(task: Task, hands: Hands): Promise<StepOutcome> {
  const { plan, gathered } = workOf(task.work);
  const { sources } = await materialOf(task);
  if (plan === null || !isAsPlanned(plan, sources)) return anew(task.progress);
  const { granted } = wanted(gatheringCalls(sources), plan.capabilities);
  const { entries, question } = await makeCalls(hands, sources, granted, gathered);
  const work = { gathered: entries };
  if (question !== null) return { kind: "block", why: "budget", question, work };
  const next = analysingCalls(findingsOf(sources, entries), task.task, mayProfile(plan));
  const isHopeless = entries.length > 0 && entries.every(({ found }) => found === null);
  const canGoOn = wanted(next, plan.capabilities).granted.length > 0;
  if (isHopeless && !canGoOn && !isEndedByBudget(task, entries)) return nothingDone(entries);
  return onward("gathering", work);
}
