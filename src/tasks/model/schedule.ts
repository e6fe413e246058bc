import { ASSIGNMENT_RETRY_MAX_MS, ASSIGNMENT_RETRY_MIN_MS } from "../limits.ts";
import { isActive, slotOf } from "./slot.ts";
import { isTerminal, type Task } from "./task.ts";
import { isCurrentTurn, type DispatchedTurn } from "./turn.ts";

/** How fast built-in agents step, and how long ended tasks are kept (null: for ever). */
export interface TaskTiming {
  readonly stepIntervalMs: number;
  readonly retentionMs: number | null;
}

/** When the task next needs its object awake, in milliseconds since 1970; null when nothing is owed. */
export function nextAlarmAt(
  task: Task,
  turn: DispatchedTurn | null,
  pace: TaskTiming,
  now: number,
): number | null {
  const owed = [
    workDueAt(task, turn, pace, now),
    expiresAt(task),
    leaseExpiresAt(task),
    purgeAt(task, pace),
  ];
  const instants = owed.filter((at) => at !== null);
  return instants.length === 0 ? null : Math.min(...instants);
}

/**
 * When the agent's next step is due, or the next look for an agent. Null while somebody else has the
 * next word: people, the agent's queue, its worker.
 */
export function workDueAt(
  task: Task,
  turn: DispatchedTurn | null,
  pace: TaskTiming,
  now: number,
): number | null {
  switch (task.status) {
    case "pending":
      if (task.agentId === null) return now + assignmentBackoffMs(waitSoFarMs(task, now));
      return task.notBefore ?? task.lastStepAt + pace.stepIntervalMs;
    case "assigned":
      return slotOf(task) === "queued" ? null : task.lastStepAt;
    case "in_progress":
      return isActive(task) ? stepDueAt(task, turn, pace) : null;
    default:
      return null;
  }
}

function stepDueAt(task: Task, turn: DispatchedTurn | null, pace: TaskTiming): number | null {
  switch (task.terms.executor) {
    case "builtin":
      return task.lastStepAt + pace.stepIntervalMs;
    case "model":
    case "a2a":
      return isCurrentTurn(task, turn) ? turn.lostAt : task.lastStepAt;
    case "worker":
      return null;
  }
}

/** When the worker that holds the task loses it; null while nobody holds it for a time. */
export function leaseExpiresAt(task: Task): number | null {
  return isActive(task) && task.lease !== null ? task.lease.expiresAt : null;
}

/** When the attempt fails by itself: its deadline or the end of its time budget, whichever is sooner. */
export function expiresAt(task: Task): number | null {
  if (isTerminal(task.status)) return null;
  const limits = [task.deadline, timeBudgetEndsAt(task)].filter((at) => at !== null);
  return limits.length === 0 ? null : Math.min(...limits);
}

/** When the attempt's working time runs out if the agent keeps working; null while the agent does not work. */
export function timeBudgetEndsAt({ budget, workedMs, workingSince }: Task): number | null {
  const seconds = budget?.maxDurationSeconds;
  if (seconds === undefined || workingSince === null) return null;
  return workingSince + seconds * 1_000 - workedMs;
}

/** When an ended task is deleted with its files; null while it lives or when it is kept for ever. */
export function purgeAt(task: Task, pace: TaskTiming): number | null {
  if (pace.retentionMs === null || task.endedAt === null) return null;
  return task.endedAt + pace.retentionMs;
}

/** An agent that gives the task back again and again is no end of waiting. */
function waitSoFarMs({ lastStepAt, releaseCount }: Task, now: number): number {
  const turnedBackMs = releaseCount === 0 ? 0 : ASSIGNMENT_RETRY_MIN_MS * 2 ** (releaseCount - 1);
  return Math.max(now - lastStepAt, turnedBackMs);
}

/** As long as the wait so far, so that looks grow rare on a task nobody fits. */
function assignmentBackoffMs(waitedMs: number): number {
  return Math.min(Math.max(waitedMs, ASSIGNMENT_RETRY_MIN_MS), ASSIGNMENT_RETRY_MAX_MS);
}
