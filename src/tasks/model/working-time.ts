import { isActive } from "./slot.ts";
import type { Task } from "./task.ts";

type Worked = Pick<Task, "workedMs" | "workingSince">;

/** The working time as of an event. It counts only while the agent works. */
export function updateWorkingTime(task: Task, at: number): Worked {
  const { workedMs, workingSince } = task;
  if (isActive(task)) return { workedMs, workingSince: workingSince ?? at };
  return { workedMs: workedMs + sinceMs(workingSince, at), workingSince: null };
}

/** How long the agent has worked in this attempt as of `now`, in milliseconds. */
export function workingMs({ workedMs, workingSince }: Worked, now: number): number {
  return workedMs + sinceMs(workingSince, now);
}

/** How long this attempt has waited, as of `now`, for people or for a place in the queue since it started. */
export function waitingMs(task: Task, now: number): number {
  const { startedAt, endedAt } = task;
  if (startedAt === null) return 0;
  return Math.max(0, (endedAt ?? now) - startedAt - workingMs(task, now));
}

/** Never negative, even if the clock was set back. */
function sinceMs(from: number | null, to: number): number {
  return from === null ? 0 : Math.max(0, to - from);
}
