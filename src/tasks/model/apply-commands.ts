import type { Failure } from "../../kernel/failure.ts";
import { ok, type Result } from "../../kernel/result.ts";
import { isCostUncovered } from "./guards.ts";
import type { TaskCommand } from "./command.ts";
import { decide } from "./decide.ts";
import type { TaskEvent } from "./events.ts";
import { applyEvent } from "./fold.ts";
import type { Task } from "./task.ts";

/** An event and the task after it. */
export interface Change {
  readonly event: TaskEvent;
  readonly task: Task;
}

/**
 * Decides commands in order and returns their changes. If the agent is then working and its budget does not cover the
 * work, the command `expire` follows, so that nobody begins such work. `jitter`: of that command.
 */
export function applyCommands(
  before: Task | null,
  commands: readonly TaskCommand[],
  { now, logBytes, jitter }: { now: number; logBytes: number; jitter: number },
): Result<{ readonly task: Task; readonly changes: readonly Change[] }, Failure> {
  let task = before;
  const changes: Change[] = [];
  const pending = [...commands];
  for (const command of pending) {
    const decided = decide(task, command, now, logBytes);
    if (!decided.ok) return decided;
    for (const body of decided.value) {
      const event: TaskEvent = { ...body, seq: (task?.seq ?? 0) + 1, at: now };
      task = applyEvent(task, event);
      changes.push({ event, task });
    }
    // If a command failed the task, for example because its log is full, the remaining commands are skipped.
    if (task?.status === "failed" && before?.status !== "failed") break;
    const isLast = command === pending.at(-1) && command.type !== "expire";
    if (isLast && task !== null && isCostUncovered(task, null, now))
      pending.push({ type: "expire", jitter });
  }
  if (task === null) throw new Error("Only `create` creates a task");
  return ok({ task, changes });
}
