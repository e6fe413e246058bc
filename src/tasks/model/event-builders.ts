import { agentError } from "./attempts.ts";
import { type NamedCommands, usageOf } from "./command.ts";
import type { RetryCause, TaskEventData } from "./events.ts";
import type { AgentChoice, Task } from "./task.ts";

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
