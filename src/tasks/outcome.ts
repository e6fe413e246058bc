import { allowedActions } from "../domain/commands.ts";
import type { Failure } from "../domain/failure.ts";
import { fail, ok, type Result } from "../domain/result.ts";
import type { Outcome, Task } from "../domain/task.ts";

/** What a task has come to, in review or completed; whoever asks before that is told what it allows. */
export function outcomeOf({ outcome, status }: Task): Result<Outcome, Failure> {
  if (outcome !== null) return ok(outcome);
  const action = "asked for its deliverables";
  return fail({ kind: "task_not_completed", action, status, allowed: allowedActions(status) });
}
