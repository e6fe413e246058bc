import type { Task } from "../../../../domain/task.ts";
import type { StepOutcome } from "../../contract.ts";
import { anew } from "../outcomes.ts";
import { workOf } from "../work.ts";

/** Hands the drafted work over: for review where the context asks for it, else as done. */
export function finalising(task: Task): StepOutcome {
  const { drafted } = workOf(task.work);
  if (drafted === null) return anew(task.progress);
  const kind = task.context["requireReview"] === true ? "submit" : "complete";
  return { kind, outcome: drafted };
}
