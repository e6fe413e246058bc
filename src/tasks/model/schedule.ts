import {
  ASSIGNMENT_RETRY_MAX_MS,
  ASSIGNMENT_RETRY_MIN_MS,
  ALARM_RUN_DEFAULT_MS,
  ALARM_RUN_LIMIT_MS,
  RETENTION_DAYS_MAX,
  STEP_INTERVAL_MAX_MS,
} from "../limits.ts";
import { costEndsAt } from "./agent-cost.ts";
import { isActive, slotOf, endedAtOf, isTerminal, type Task } from "./task.ts";
import { isCurrentTurn, type DispatchedTurn } from "./turn.ts";
import { DAY_MS } from "../../kernel/units.ts";

/** `retentionMs`: how long ended tasks are kept; null: permanently. */
export interface TaskTiming {
  readonly stepIntervalMs: number;
  readonly retentionMs: number | null;
}

/** When the task's alarm is due, in milliseconds since 1970; null if nothing is due. */
export function nextAlarmAt(
  task: Task,
  turn: DispatchedTurn | null,
  timing: TaskTiming,
  now: number,
): number | null {
  return earliest([
    workDueAt(task, turn, timing, now),
    expiresAt(task),
    costEndsAt(task),
    leaseExpiresAt(task),
    purgeAt(task, timing),
  ]);
}

/**
 * When the next step or search for an agent is due; null if the task has ended or is waiting for a person, a slot or a
 * worker.
 */
export function workDueAt(
  task: Task,
  turn: DispatchedTurn | null,
  { stepIntervalMs }: TaskTiming,
  now: number,
): number | null {
  switch (task.status) {
    case "pending":
      if (task.agentId === null) return now + assignmentBackoffMs(task, now);
      return task.notBefore ?? task.lastStepAt + stepIntervalMs;
    case "assigned":
      return slotOf(task) === "queued" ? null : task.lastStepAt;
    case "in_progress":
      return isActive(task) ? stepDueAt(task, turn, stepIntervalMs) : null;
    default:
      return null;
  }
}

function stepDueAt(task: Task, turn: DispatchedTurn | null, stepIntervalMs: number): number | null {
  switch (task.terms.executor) {
    case "builtin":
      return task.lastStepAt + stepIntervalMs;
    case "model":
    case "a2a":
      return isCurrentTurn(task, turn) ? turn.lostAt : task.lastStepAt;
    case "worker":
      return null;
  }
}

/**
 * The pause before the next search for an agent. It is as long as the task has waited so far, within limits, and grows
 * exponentially while agents keep releasing the task.
 */
function assignmentBackoffMs({ lastStepAt, releaseCount }: Task, now: number): number {
  const releasedMs = releaseCount === 0 ? 0 : ASSIGNMENT_RETRY_MIN_MS * 2 ** (releaseCount - 1);
  const waitedMs = Math.max(now - lastStepAt, releasedMs);
  return Math.min(Math.max(waitedMs, ASSIGNMENT_RETRY_MIN_MS), ASSIGNMENT_RETRY_MAX_MS);
}

/** When the worker's lease expires; null if no worker holds the task. */
export function leaseExpiresAt(task: Task): number | null {
  return isActive(task) && task.lease !== null ? task.lease.expiresAt : null;
}

/**
 * When the attempt fails: at the task's deadline or when the time budget runs out, whichever is sooner; null if neither
 * applies.
 */
export function expiresAt(task: Task): number | null {
  return isTerminal(task.status) ? null : earliest([task.deadline, timeBudgetEndsAt(task)]);
}

/** When the deadline, a budget or the lease expires, whichever is first; Infinity if none applies. */
export function nextExpiryAt(task: Task): number {
  return earliest([expiresAt(task), costEndsAt(task), leaseExpiresAt(task)]) ?? Infinity;
}

/**
 * When the attempt's time budget runs out if the agent keeps working; null if there is no time budget or the agent is
 * not working.
 */
export function timeBudgetEndsAt(task: Task): number | null {
  const seconds = task.budget?.maxDurationSeconds;
  const workingSince = workingSinceOf(task);
  if (seconds === undefined || workingSince === null) return null;
  return workingSince + seconds * 1_000 - task.workedMs;
}

/** When an ended task and its files are deleted; null if the task has not ended or is kept permanently. */
export function purgeAt(task: Task, { retentionMs }: TaskTiming): number | null {
  const endedAt = endedAtOf(task);
  return retentionMs === null || endedAt === null ? null : endedAt + retentionMs;
}

/**
 * The earliest time at which the task can be deleted; null if never. A task that has not ended is assumed to end at
 * `now`.
 */
export function earliestPurgeAt(task: Task, timing: TaskTiming, now: number): number | null {
  const { retentionMs } = timing;
  return purgeAt(task, timing) ?? (retentionMs === null ? null : now + retentionMs);
}

/** The attempt's working time up to `now`, in milliseconds. */
export function workingMs(task: Task, now: number): number {
  return task.workedMs + elapsedMs(workingSinceOf(task) ?? now, now);
}

/** How long the attempt has waited for people or a slot since it started, in milliseconds. */
export function waitingMs(task: Task, now: number): number {
  const { startedAt } = task;
  if (startedAt === null) return 0;
  return elapsedMs(startedAt + workingMs(task, now), endedAtOf(task) ?? now);
}

function workingSinceOf(task: Task): number | null {
  return task.status === "in_progress" ? task.workingSince : null;
}

/** Never negative, even if the clock was set back. */
function elapsedMs(from: number, to: number): number {
  return Math.max(0, to - from);
}

function earliest(instants: readonly (number | null)[]): number | null {
  const known = instants.filter((at) => at !== null);
  return known.length === 0 ? null : Math.min(...known);
}

/** The duration of a step without the pause before it, measured with built-in agents and rounded up. */
const STEP_MS = 100;
/** The time needed to write one deliverable, measured in the same way. */
const DELIVERABLE_MS = 50;

/** A guess for external agents and models, most of whose tasks take minutes rather than seconds or hours. */
const EXTERNAL_TASK_MS = 2 * 60_000;

export interface DurationEstimate {
  readonly durationMs: number;
  readonly completionAt: number;
}

/**
 * Estimates how long a built-in agent takes to complete a task. Each step begins with a pause. `queued`: the number of
 * the agent's live tasks, each of which may delay the task by a step.
 */
export function estimateBuiltinTask(
  work: { steps: number; stepIntervalMs: number; deliverables: number; queued: number },
  now: number,
): DurationEstimate {
  const ownMs = work.steps * (work.stepIntervalMs + STEP_MS) + work.deliverables * DELIVERABLE_MS;
  const durationMs = ownMs + work.queued * STEP_MS;
  return { durationMs, completionAt: now + durationMs };
}

/**
 * Estimates how long an external agent or a model takes to complete a task. `queued`: the number of the agent's live
 * tasks. `places`: how many tasks the agent can work on at once; null: unlimited.
 */
export function estimateExternalTask(
  { queued, places }: { queued: number; places: number | null },
  now: number,
): DurationEstimate {
  const rounds = places === null ? 0 : Math.floor(queued / places);
  const durationMs = (1 + rounds) * EXTERNAL_TASK_MS;
  return { durationMs, completionAt: now + durationMs };
}

/** The phases of a built-in agent's work, in order; each is one durable step of a task. */
export const BUILTIN_PHASES = [
  "planning",
  "gathering",
  "analysing",
  "drafting",
  "finalising",
] as const;
export type BuiltinPhase = (typeof BUILTIN_PHASES)[number];

/** The built-in phase that a task's `currentPhase` names; `planning` if it names none. */
export function parseBuiltinPhase(currentPhase: string | null): BuiltinPhase {
  return BUILTIN_PHASES.find((phase) => phase === currentPhase) ?? "planning";
}

/** Reads the timing from the Worker's variables. */
export function readTaskTiming(
  variables: Readonly<Record<"AGENT_STEP_INTERVAL_MS" | "TASK_RETENTION_DAYS", string>>,
): TaskTiming {
  const { AGENT_STEP_INTERVAL_MS: interval, TASK_RETENTION_DAYS: retention } = variables;
  const retentionDays = readAmount("TASK_RETENTION_DAYS", retention, RETENTION_DAYS_MAX);
  return {
    stepIntervalMs: readAmount("AGENT_STEP_INTERVAL_MS", interval, STEP_INTERVAL_MAX_MS),
    retentionMs: retentionDays === 0 ? null : retentionDays * DAY_MS,
  };
}

/** How long one alarm run keeps executing steps that are due; 0 for one step per run. */
export function readAlarmRunMaxMs(variables: { readonly ALARM_RUN_MAX_MS?: string }): number {
  const { ALARM_RUN_MAX_MS: value = String(ALARM_RUN_DEFAULT_MS) } = variables;
  return readAmount("ALARM_RUN_MAX_MS", value, ALARM_RUN_LIMIT_MS);
}

/** Throws if the value is invalid, because that is a configuration error. */
export function readAmount(name: string, value: string, max: number): number {
  const number = Number(value);
  if (!(number >= 0 && number <= max)) {
    throw new Error(`${name} must be a number from 0 to ${max}, got ${JSON.stringify(value)}`);
  }
  return number;
}
