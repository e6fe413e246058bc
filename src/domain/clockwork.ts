import { ASSIGNMENT_RETRY_MAX_MS, ASSIGNMENT_RETRY_MIN_MS } from "./limits.ts";
import { isTerminal, type Task } from "./task.ts";

/** How fast built-in agents step, and how long ended tasks are kept (null: for ever). */
export interface Pace {
  readonly stepIntervalMs: number;
  readonly retentionMs: number | null;
}

/** When the task next needs its object awake, in milliseconds since 1970; null when nothing is owed. */
export function nextWakeAt(task: Task, pace: Pace, now: number): number | null {
  const owed = [workDueAt(task, pace, now), limitAt(task), purgeAt(task, pace)];
  const instants = owed.filter((at) => at !== null);
  return instants.length === 0 ? null : Math.min(...instants);
}

/** When the agent's next step is due, or the next look for an agent. */
export function workDueAt(task: Task, pace: Pace, now: number): number | null {
  switch (task.status) {
    case "pending":
      return task.agentId === null
        ? now + assignmentBackoffMs(now - task.steppedAt)
        : task.steppedAt + pace.stepIntervalMs;
    case "assigned":
      return task.steppedAt;
    case "in_progress":
      return task.steppedAt + pace.stepIntervalMs;
    default:
      return null;
  }
}

/** When the attempt fails by itself: its deadline or the end of its time budget, whichever is sooner. */
export function limitAt(task: Task): number | null {
  if (isTerminal(task.status)) return null;
  const limits = [task.deadline, timeBudgetEndsAt(task)].filter((at) => at !== null);
  return limits.length === 0 ? null : Math.min(...limits);
}

export function timeBudgetEndsAt(task: Task): number | null {
  const seconds = task.budget?.maxDurationSeconds;
  return seconds === undefined || task.startedAt === null ? null : task.startedAt + seconds * 1_000;
}

/** When an ended task is deleted with its files; null while it lives or when it is kept for ever. */
export function purgeAt(task: Task, pace: Pace): number | null {
  if (pace.retentionMs === null || task.endedAt === null) return null;
  return task.endedAt + pace.retentionMs;
}

/** As long as the wait so far, so that looks grow rare on a task nobody fits. */
function assignmentBackoffMs(waitedMs: number): number {
  return Math.min(Math.max(waitedMs, ASSIGNMENT_RETRY_MIN_MS), ASSIGNMENT_RETRY_MAX_MS);
}
