import { checkDueAt } from "../model/no-progress.ts";
import { nextAlarmAt, type TaskTiming } from "../model/schedule.ts";
import type { Task } from "../model/task.ts";
import type { SideState } from "./side-state.store.ts";

/** When the task's next work, check, time limit or deletion is due; Infinity if never. */
export function dueAtOf(
  task: Task,
  sideState: SideState,
  timing: TaskTiming,
  checkRetryAt: number,
): number {
  const now = Date.now();
  const dueAt = nextAlarmAt(task, sideState.get("turn"), timing, now) ?? Infinity;
  return Math.min(dueAt, checkDueAt(task, sideState.get("breaker"), checkRetryAt, now));
}
