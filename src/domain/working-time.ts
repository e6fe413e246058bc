import { isAtWork } from "./place.ts";
import type { Task } from "./task.ts";

type Worked = Pick<Task, "workedMs" | "workingSince">;

/** The working time as of an event: it passes only while the agent is at work. */
export function workedAfter(task: Task, at: number): Worked {
  const { workedMs, workingSince } = task;
  if (isAtWork(task)) return { workedMs, workingSince: workingSince ?? at };
  return { workedMs: workedMs + sinceMs(workingSince, at), workingSince: null };
}

/** How long the agent has worked in this attempt at `now`, in milliseconds. */
export function workingMs({ workedMs, workingSince }: Worked, now: number): number {
  return workedMs + sinceMs(workingSince, now);
}

/** How long this attempt has waited since it started at `now`: for people, or for a place in the queue. */
export function waitingMs(task: Task, now: number): number {
  const { startedAt, endedAt } = task;
  if (startedAt === null) return 0;
  return Math.max(0, (endedAt ?? now) - startedAt - workingMs(task, now));
}

/** A clock that was set back takes no time away. */
function sinceMs(from: number | null, to: number): number {
  return from === null ? 0 : Math.max(0, to - from);
}
