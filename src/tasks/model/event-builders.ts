import { type NamedCommands, usageOf } from "./command.ts";
import type { TaskEventData } from "./events.ts";
import type { Task } from "./task.ts";

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
  { report: { result, quality } }: NamedCommands["report.review" | "report.completed"],
): TaskEventData["completed"] {
  return { result, quality, deliverables: files, calls: [] };
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
