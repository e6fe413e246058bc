import { chooseAgentForTask, loadAgentTerms } from "../../agents/agent-cache.ts";
import { BUILTIN_TERMS, hasQueue, type AgentTerms } from "../../agents/model/agent.ts";
import type {
  HoldOutcome,
  StepOutcome,
  StepRequest,
  StepResult,
  StepRunner,
} from "../../executors/contract.ts";
import { type DirectoryEnv, getDatabase } from "../../platform/d1/client.ts";
import { withTimeout } from "../../platform/promises.ts";
import { BUILTIN_PHASES } from "../model/schedule.ts";
import type { TaskCommand } from "../model/command.ts";
import {
  isActive,
  type AgentChoice,
  type ModelUsage,
  type Task,
  type ToolCall,
} from "../model/task.ts";

/** The result of advancing a task. The alarm handler commits it. */
export interface TaskAdvance {
  readonly commands: readonly TaskCommand[];
  /** The step's tool calls. They are charged even if the commands no longer apply, unless the task has ended. */
  readonly calls: readonly ToolCall[];
  /** Small files to store in the log with the step's event. */
  readonly inlineFiles: readonly Uint8Array[];
  /** Whether the agent ran a step. */
  readonly isStep: boolean;
  /** Why the step failed; null if it did not. */
  readonly failure: { readonly cause: unknown } | null;
}

/** Advances a task: chooses an agent, assigns and starts the task, or runs one step. */
export async function advanceTask(
  env: DirectoryEnv,
  runStep: StepRunner,
  request: StepRequest,
): Promise<TaskAdvance> {
  const { task, timeoutMs } = request;
  if (isActive(task)) return toStepAdvance(task, await runStep(request));
  const commands = await withTimeout(timeoutMs, assignAndStart(env, task));
  return { commands, calls: [], inlineFiles: [], isStep: false, failure: null };
}

/** Converts a step's result to commands. A failed step still records its calls. */
function toStepAdvance(task: Task, { outcome, calls, inlineFiles }: StepResult): TaskAdvance {
  const commands = outcome.ok
    ? toStepCommands(task, outcome.value, calls)
    : recordCalls(task, calls);
  const failure = outcome.ok ? null : { cause: outcome.failure };
  return { commands, calls, inlineFiles, isStep: true, failure };
}

function toStepCommands(
  task: Task,
  outcome: StepOutcome,
  calls: readonly ToolCall[],
): TaskCommand[] {
  if (outcome.kind !== "hold") return [toStepCommand(task.attempt, outcome, calls)];
  return [...recordCalls(task, calls), toHoldCommand(task.attempt, outcome)];
}

export function toHoldCommand(attempt: number, { work }: HoldOutcome): TaskCommand {
  return { type: "hold", attempt, work };
}

/** Records the calls of a failed step. Progress and phase do not change. */
function recordCalls(task: Task, calls: readonly ToolCall[]): TaskCommand[] {
  if (calls.length === 0) return [];
  const { attempt, progress } = task;
  const phase = task.currentPhase ?? BUILTIN_PHASES[0];
  return [{ type: "progress", attempt, data: { progress, phase, calls, work: {} } }];
}

async function assignAndStart(env: DirectoryEnv, task: Task): Promise<TaskCommand[]> {
  if (task.status === "assigned") return [{ type: "start" }];
  if (task.status !== "pending") return [];
  const choice = task.choice ?? (await chooseAgentForTask(env, task));
  if (choice === null) return [];
  const agent = await loadAgentTerms(getDatabase(env.DB), choice.agentId, task.teamId, Date.now());
  if (agent === null) {
    const member = task.teamId === null ? "" : ", or no longer a member of the task's team";
    const reason = `The agent is disabled or no longer registered${member}.`;
    return [
      { type: "assign", choice, terms: BUILTIN_TERMS },
      { type: "decline", reason },
    ];
  }
  const { terms, isPaused } = agent;
  if (isPaused) return assignToPaused(task, choice, terms);
  const assign: TaskCommand = { type: "assign", choice, terms };
  return hasQueue(terms) ? [assign] : [assign, { type: "start" }];
}

/** A task that was created for the paused agent waits in its queue. Any other task goes to another agent. */
function assignToPaused(task: Task, choice: AgentChoice, terms: AgentTerms): TaskCommand[] {
  const { agentId } = choice;
  const assign: TaskCommand = { type: "assign", choice, terms: { ...terms, usesQueue: true } };
  if (task.requestedAgentId === agentId) return [assign];
  return [assign, { type: "release", agentId, reason: "The agent is paused." }];
}

/** Converts the outcome of a step or turn to a command that includes its usage. */
export function toStepCommand(
  attempt: number,
  outcome: Exclude<StepOutcome, HoldOutcome>,
  calls: readonly ToolCall[],
  use?: ModelUsage,
): TaskCommand {
  const paid = use === undefined ? { calls } : { calls, use };
  switch (outcome.kind) {
    case "progress": {
      const { progress, phase, work, estimated } = outcome;
      const data = { progress, phase, work, ...(estimated === true ? { estimated } : {}) };
      return { type: "progress", attempt, data: { ...data, ...paid } };
    }
    case "block": {
      const { why: kind, question, work, approvalIds } = outcome;
      const awaited = approvalIds === undefined ? {} : { approvalIds };
      return { type: "block", attempt, data: { kind, question, work, ...awaited, ...paid } };
    }
    case "submit":
    case "complete":
      return { type: outcome.kind, attempt, outcome: outcome.outcome, ...paid };
    case "fail":
      return { type: "fail", attempt, error: outcome.error, ...paid };
  }
}
