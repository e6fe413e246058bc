import { allowedActions } from "./transitions.ts";
import type { Failure } from "../../kernel/failure.ts";
import { fail, ok, type Result } from "../../kernel/result.ts";
import type { TaskOutcome, Task } from "./task.ts";

/** What a task has come to, in review or completed; whoever asks before that is told what it allows. */
export function readOutcome({ outcome, status }: Task): Result<TaskOutcome, Failure> {
  if (outcome !== null) return ok(outcome);
  const action = "asked for its deliverables";
  return fail({ kind: "task_not_completed", action, status, allowed: allowedActions(status) });
}
