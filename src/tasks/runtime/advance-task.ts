import { BUILTIN_PHASES } from "../model/builtin-phases.ts";
import type { StepRequest, StepRunner } from "../../executors/contract.ts";
import { loadAgentTerms, searchCandidates } from "../../agents/agent-cache.ts";
import { getDatabase } from "../../platform/d1/client.ts";
import type { DirectoryEnv } from "../../platform/d1/shards.ts";
import { BUILTIN_TERMS, hasQueue } from "../../agents/model/agent.ts";
import type { CallBudget } from "../../tools/model/invocation.ts";
import { chooseAgent, deriveTaskNeeds, toRequestedChoice } from "../model/assignment.ts";
import { isActive } from "../model/slot.ts";
import type { AgentChoice, Task, ToolCall } from "../model/task.ts";
import type { TaskCommand } from "../model/command.ts";
import { toStepCommand } from "./step-command.ts";

/** What the system's side of a task does next; `isStep` marks a step of the agent itself. */
export interface TaskAdvance {
  readonly commands: readonly TaskCommand[];
  /** What the step has called: made and paid, even where the commands come too late. */
  readonly calls: readonly ToolCall[];
  /** Small files, to be kept with the event of the step. */
  readonly held: readonly Uint8Array[];
  readonly isStep: boolean;
  /** What stopped the step; the calls it had made by then are paid and so recorded all the same. */
  readonly fault: { readonly cause: unknown } | null;
}

/** Carries the work on a task one stage further: find an agent, assign and start, or one step. */
export async function advanceTask(
  env: DirectoryEnv,
  run: StepRunner,
  taskId: string,
  task: Task,
  budget: CallBudget,
): Promise<TaskAdvance> {
  if (isActive(task) && task.agentId !== null) {
    return runStep(run, { taskId, task, agentId: task.agentId, budget });
  }
  const commands = await beginning(env, task);
  return { commands, calls: [], held: [], isStep: false, fault: null };
}

/** The command of a step; a failed step still records its calls. */
async function runStep(run: StepRunner, request: StepRequest): Promise<TaskAdvance> {
  const { task } = request;
  const { outcome, calls, held } = await run(request);
  const commands = outcome.ok
    ? [toStepCommand(task.attempt, outcome.value, calls)]
    : callsMade(task, calls);
  const fault = outcome.ok ? null : { cause: outcome.failure };
  return { commands, calls, held, isStep: true, fault };
}

/** The same phase again, with the calls of the step that did not come to its end. */
function callsMade(task: Task, calls: readonly ToolCall[]): TaskCommand[] {
  if (calls.length === 0) return [];
  const { attempt, progress } = task;
  const phase = task.currentPhase ?? BUILTIN_PHASES[0];
  return [{ type: "progress", attempt, data: { progress, phase, calls, work: {} } }];
}

async function beginning(env: DirectoryEnv, task: Task): Promise<TaskCommand[]> {
  if (task.status === "assigned") return [{ type: "start" }];
  if (task.status !== "pending") return [];
  const choice = task.choice ?? (await chooseAgentForTask(env, task));
  if (choice === null) return [];
  const terms = await loadAgentTerms(getDatabase(env.DB), choice.agentId, task.teamId, Date.now());
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

/** The best agent for a task as things stand now, or null. One that people have named, or nobody. */
export async function chooseAgentForTask(
  env: DirectoryEnv,
  task: Pick<
    Task,
    "task" | "deliverableTypes" | "context" | "teamId" | "excludedAgentIds" | "requestedAgentId"
  >,
): Promise<AgentChoice | null> {
  const { teamId, requestedAgentId: agentId } = task;
  const need = deriveTaskNeeds(task.task, task.deliverableTypes, task.context);
  const excludedAgentIds = agentId === null ? task.excludedAgentIds : [];
  const search = await searchCandidates(env, { agentId, teamId, excludedAgentIds });
  const [named] = search.candidates;
  if (agentId !== null) return named === undefined ? null : toRequestedChoice(named);
  return chooseAgent(need, search.candidates);
}
