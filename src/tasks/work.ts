import { notRegistered } from "../agents/executors/builtin/outcomes.ts";
import { PHASES } from "../agents/executors/builtin/phases.ts";
import { step } from "../agents/executors/builtin/step.ts";
import type { StepOutcome } from "../agents/executors/contract.ts";
import { searchCandidates } from "../agents/candidates.ts";
import { recentTerms } from "../agents/recent.ts";
import { database } from "../db/client.ts";
import type { ShardsEnv } from "../db/shards.ts";
import { BUILTIN_TERMS, hasQueue } from "../domain/agent.ts";
import { chooseAgent, needOf, requestedAgent } from "../domain/assignment.ts";
import { isAtWork } from "../domain/place.ts";
import type { Choice, Task, ToolCall } from "../domain/task.ts";
import type { Command } from "../domain/commands.ts";
import type { InvokeEnv } from "../tools/invoke.ts";
import { commandOf } from "./command-of.ts";
import { handsOf, type StepHands } from "./hands.ts";
import type { StepPurse } from "./outside-calls.ts";

/** What the work on a task needs of the Worker's bindings. */
export type WorkEnv = InvokeEnv & ShardsEnv & Pick<Env, "FILES">;

/** What the system's side of a task does next; `isStep` marks a step of the agent itself. */
export interface Work {
  readonly commands: readonly Command[];
  /** What the step has called: made and paid, even where the commands come too late. */
  readonly calls: readonly ToolCall[];
  /** Small files, to be kept with the event of the step. */
  readonly held: readonly Uint8Array[];
  readonly isStep: boolean;
  /** What stopped the step; the calls it had made by then are paid and so recorded all the same. */
  readonly fault: { readonly cause: unknown } | null;
}

/** Carries the work on a task one stage further: find an agent, assign and start, or one step. */
export async function work(
  env: WorkEnv,
  taskId: string,
  task: Task,
  purse: StepPurse,
): Promise<Work> {
  if (isAtWork(task) && task.agentId !== null) {
    return agentStep(task, handsOf(env, taskId, task, task.agentId, purse));
  }
  const commands = await beginning(env, task);
  return { commands, calls: [], held: [], isStep: false, fault: null };
}

async function agentStep(task: Task, hands: StepHands): Promise<Work> {
  try {
    const outcome = await enabledStep(task, hands);
    const commands = [commandOf(task.attempt, outcome, hands.calls)];
    return { commands, calls: hands.calls, held: hands.held, isStep: true, fault: null };
  } catch (cause) {
    const commands = callsMade(task, hands.calls);
    return { commands, calls: hands.calls, held: [], isStep: true, fault: { cause } };
  }
}

/**
 * A step of an agent that is still registered and enabled. The registry is read at most once a second, so a
 * call rejected in the meantime also stops the step: a disabled agent must not complete part of a task.
 */
async function enabledStep(task: Task, hands: StepHands): Promise<StepOutcome> {
  const outcome = (await hands.isRegistered()) ? await step(task, hands) : null;
  if (outcome !== null && !hands.isDisabled()) return outcome;
  return notRegistered(task.agentName ?? "The agent");
}

/** The same phase again, with the calls of the step that did not come to its end. */
function callsMade(task: Task, calls: readonly ToolCall[]): Command[] {
  if (calls.length === 0) return [];
  const { attempt, progress } = task;
  const phase = task.currentPhase ?? PHASES[0];
  return [{ type: "progress", attempt, data: { progress, phase, calls, work: {} } }];
}

async function beginning(env: WorkEnv, task: Task): Promise<Command[]> {
  if (task.status === "assigned") return [{ type: "start" }];
  if (task.status !== "pending") return [];
  const choice = task.choice ?? (await findAgent(env, task));
  if (choice === null) return [];
  const terms = await recentTerms(database(env.DB), choice.agentId, task.teamId, Date.now());
  if (terms === null) {
    const member = task.teamId === null ? "" : ", or no longer a member of the task's team";
    const reason = `The agent is no longer registered and enabled${member}.`;
    return [
      { type: "assign", choice, terms: BUILTIN_TERMS },
      { type: "decline", reason },
    ];
  }
  const assign: Command = { type: "assign", choice, terms };
  return hasQueue(terms) ? [assign] : [assign, { type: "start" }];
}

/** The best agent for a task as things stand now, or null. One that people have named, or nobody. */
export async function findAgent(
  env: ShardsEnv,
  task: Pick<
    Task,
    "task" | "deliverableTypes" | "context" | "teamId" | "excludedAgentIds" | "requestedAgentId"
  >,
): Promise<Choice | null> {
  const { teamId, requestedAgentId: agentId } = task;
  const need = needOf(task.task, task.deliverableTypes, task.context);
  const excludedAgentIds = agentId === null ? task.excludedAgentIds : [];
  const search = await searchCandidates(env, { agentId, teamId, excludedAgentIds });
  const [named] = search.candidates;
  if (agentId !== null) return named === undefined ? null : requestedAgent(named);
  return chooseAgent(need, search.candidates);
}
