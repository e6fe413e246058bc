import { type BreakerCheck, checkDueAt } from "./no-progress.ts";
import { nextAlarmAt, type TaskTiming } from "./schedule.ts";
import type { Task } from "./task.ts";
import type { DispatchedTurn } from "./turn.ts";

/** What a task's object stores outside the log that decides when its alarm is due. */
interface DueFacts {
  readonly turn: DispatchedTurn | null;
  readonly check: BreakerCheck | null;
  /** When a failed check is repeated. */
  readonly checkRetryAt: number;
  readonly timing: TaskTiming;
}

/** When the task's next work, check, time limit or deletion is due; Infinity if never. */
export function dueAtOf(
  task: Task,
  { turn, check, checkRetryAt, timing }: DueFacts,
  now: number,
): number {
  const dueAt = nextAlarmAt(task, turn, timing, now) ?? Infinity;
  return Math.min(dueAt, checkDueAt(task, check, checkRetryAt, now));
}
