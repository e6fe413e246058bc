import type { Task } from "../../../../domain/task.ts";
import type { StepOutcome } from "../../contract.ts";
import { anew } from "../outcomes.ts";
import { workOf } from "../work.ts";

/** Hands the drafted work over as done; the task judges whether people look at it first. */
export function finalising(task: Task): StepOutcome {
  const { drafted } = workOf(task.work);
  if (drafted === null) return anew(task.progress);
  return { kind: "complete", outcome: drafted };
}
