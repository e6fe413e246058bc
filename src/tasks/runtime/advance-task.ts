import { BUILTIN_TERMS, hasQueue } from "../../agents/model/agent.ts";
import type { StepOutcome, StepRequest } from "../../executors/contract.ts";
import type { CallBudget } from "../../tools/model/invocation.ts";
import { BUILTIN_PHASES } from "../model/schedule.ts";
import type { TaskCommand } from "../model/command.ts";
import { isActive, type ModelUsage, type Task, type ToolCall } from "../model/task.ts";
import type { TaskServices } from "../task-services.ts";

/** What an alarm commits next. */
export interface TaskAdvance {
  readonly commands: readonly TaskCommand[];
  /** The calls of the step. They are paid, even if the commands come too late. */
  readonly calls: readonly ToolCall[];
  /** Small files, which the log stores with the event of the step. */
  readonly held: readonly Uint8Array[];
  /** Whether the agent has run a step. */
  readonly isStep: boolean;
  /** What the step threw. */
  readonly failure: { readonly cause: unknown } | null;
}

/** Finds an agent, assigns and starts the task, or runs one step. */
export async function advanceTask(
  services: TaskServices,
  taskId: string,
  task: Task,
  budget: CallBudget,
): Promise<TaskAdvance> {
  if (isActive(task) && task.agentId !== null) {
    return runStep(services, { taskId, task, agentId: task.agentId, budget });
  }
  const commands = await assignAndStart(services, task);
  return { commands, calls: [], held: [], isStep: false, failure: null };
}

/** Returns the command of a step. A failed step still records its calls. */
async function runStep(services: TaskServices, request: StepRequest): Promise<TaskAdvance> {
  const { task } = request;
  const { outcome, calls, held } = await services.runStep(request);
  const commands = outcome.ok
    ? [toStepCommand(task.attempt, outcome.value, calls)]
    : recordCalls(task, calls);
  const failure = outcome.ok ? null : { cause: outcome.failure };
  return { commands, calls, held, isStep: true, failure };
}

/** Repeats the current phase, with the calls of the failed step. */
function recordCalls(task: Task, calls: readonly ToolCall[]): TaskCommand[] {
  if (calls.length === 0) return [];
  const { attempt, progress } = task;
  const phase = task.currentPhase ?? BUILTIN_PHASES[0];
  return [{ type: "progress", attempt, data: { progress, phase, calls, work: {} } }];
}

async function assignAndStart(services: TaskServices, task: Task): Promise<TaskCommand[]> {
  if (task.status === "assigned") return [{ type: "start" }];
  if (task.status !== "pending") return [];
  const choice = task.choice ?? (await services.chooseAgent(task));
  if (choice === null) return [];
  const terms = await services.loadAgentTerms(choice.agentId, task.teamId);
  if (terms === null) {
    const member = task.teamId === null ? "" : ", or no longer a member of the task's team";
    const reason = `The agent is no longer registered and enabled${member}.`;
    return [
      { type: "assign", choice, terms: BUILTIN_TERMS },
      { type: "decline", reason },
    ];
  }
  const assign: TaskCommand = { type: "assign", choice, terms };
  return hasQueue(terms) ? [assign] : [assign, { type: "start" }];
}

/** The command for the outcome of a step or a turn, with its usage. */
export function toStepCommand(
  attempt: number,
  outcome: StepOutcome,
  calls: readonly ToolCall[],
  use?: ModelUsage,
): TaskCommand {
  const paid = use === undefined ? { calls } : { calls, use };
  switch (outcome.kind) {
    case "progress": {
      const { progress, phase, work } = outcome;
      return { type: "progress", attempt, data: { progress, phase, work, ...paid } };
    }
    case "block": {
      const { why: kind, question, work } = outcome;
      return { type: "block", attempt, data: { kind, question, work, ...paid } };
    }
    case "submit":
    case "complete":
      return { type: outcome.kind, attempt, outcome: outcome.outcome, ...paid };
    case "fail":
      return { type: "fail", attempt, error: outcome.error, ...paid };
  }
}
