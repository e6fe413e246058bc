import { agentError } from "./attempts.ts";
import { type NamedCommands, usageOf } from "./command.ts";
import type { RetryCause, TaskEventData } from "./events.ts";
import type { AgentChoice, Task, TaskError } from "./task.ts";

export const EXECUTOR_CHANGED = "The agent's executor has changed since the task was assigned.";

export function startWork(
  _: Task,
  { agentId, grant }: NamedCommands["admit"],
): TaskEventData["started"] {
  return grant === null ? { agentId } : { agentId, lease: grant };
}

/** Takes back a task that the agent has not started. The task is assigned again in the same attempt. */
export function takeBack(agentId: string, reason: string): TaskEventData["declined"] {
  return { cause: "taken_back", agentId, reason, excludes: false };
}

/** Takes back a task that the agent has started. The task is assigned again in a new attempt. */
export function restart(task: Task, reason: string, now: number): TaskEventData["retried"] {
  const lost = { error: agentError(reason), notBefore: now };
  return automaticRetry(task, "agent_changed", null, lost);
}

/** The data of the event that begins the next attempt after a lost one. `choice`: null to assign any agent. */
export function automaticRetry(
  task: Task,
  cause: RetryCause,
  choice: AgentChoice | null,
  automatic: NonNullable<TaskEventData["retried"]["automatic"]>,
): TaskEventData["retried"] {
  const attempt = task.attempt + 1;
  return { cause, attempt, reassign: false, choice, context: null, automatic };
}

export function finish(
  _: Task,
  command: NamedCommands["submit" | "complete"],
): TaskEventData["completed"] {
  return { ...command.outcome, ...usageOf(command) };
}

export function finishReported(
  { files }: Task,
  { report }: NamedCommands["report.review" | "report.completed"],
): TaskEventData["completed"] {
  const { result, quality } = report;
  return { result, quality, deliverables: files, calls: [], ...costOf(report) };
}

export function failReported(
  _: Task,
  { report }: NamedCommands["report.failed"],
): TaskEventData["failed"] {
  const { message, retryable, details } = report;
  const error: TaskError = { code: "AGENT_ERROR", message, retryable };
  const detailed = details === null ? error : { ...error, details };
  return { error: detailed, calls: [], ...costOf(report) };
}

/** The attempt continues with the next worker that claims the task. */
export function returnTask(
  task: Task,
  { report }: NamedCommands["report.released"],
): TaskEventData["declined"] {
  return {
    cause: "returned",
    agentId: agentOf(task),
    reason: report.reason ?? "The worker returned the task.",
    excludes: false,
    released: true,
    work: report.work ?? {},
    ...costOf(report),
  };
}

/** The cost in a worker's report. */
export function costOf({ cost = 0 }: { readonly cost?: number }): { readonly cost?: number } {
  return cost === 0 ? {} : { cost };
}

/** Progress never decreases within an attempt, and only completion sets it to 100. */
export function clampProgress(task: Task, progress: number): number {
  return Math.min(Math.max(Math.floor(progress), task.progress), 99);
}

export function phaseOf({ currentPhase }: Task): string {
  return currentPhase ?? "working";
}

export function agentOf({ agentId, status }: Task): string {
  if (agentId === null) throw new Error(`A task that is ${status} must have an agent`);
  return agentId;
}
