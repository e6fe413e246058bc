import { type NamedCommands, usageOf } from "./command.ts";
import type { TaskEventData } from "./events.ts";
import type { Task, TaskError } from "./task.ts";

export const EXECUTOR_CHANGED = "The agent's executor has changed since the task was assigned.";

export function startWork(
  _: Task,
  { agentId, grant }: NamedCommands["admit"],
): TaskEventData["started"] {
  return grant === null ? { agentId } : { agentId, lease: grant };
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
