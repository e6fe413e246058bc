import type { CallFailure, StepExecutionContext, StepRequest } from "./contract.ts";
import { loadAgentTerms } from "../agents/agent-cache.ts";
import { getDatabase } from "../platform/d1/client.ts";
import { costLimitQuestion, type StepBudget } from "../tasks/model/budget.ts";
import type { Failure } from "../kernel/failure.ts";
import { INLINE_FILE_BYTES_MAX, INLINE_FILES_PER_STEP_BYTES_MAX } from "../tasks/limits.ts";
import { fail, ok } from "../kernel/result.ts";
import type { Task, ToolCall } from "../tasks/model/task.ts";
import { toWireError } from "../http/to-wire-error.ts";
import { findUsableTools } from "../tools/access.ts";
import { invokeTool, type InvocationEnv } from "../tools/invoke.ts";
import type { CallBudget } from "../tools/model/invocation.ts";
import { fileKey } from "../tasks/model/file-key.ts";
import { createDeliverable, saveDeliverable } from "../tasks/api/deliverables.ts";

export type StepEnv = InvocationEnv & Pick<Env, "FILES">;

/** Hands that work in the task's object; `held` are the small files of this step, to be kept with its event. */
export interface StepContext extends StepExecutionContext {
  readonly held: readonly Uint8Array[];
  /** Whether a call in this step was rejected because the agent is disabled. */
  readonly isDisabled: () => boolean;
}

/**
 * The hands of a task's agent for one step. Its calls go through the same verb as everybody's, and are
 * paid from the same budget as those that are made beside it.
 */
export function createStepContext(
  env: StepEnv,
  { taskId, task, agentId, budget: step }: StepRequest,
): StepContext {
  const calls: ToolCall[] = [];
  const held: Uint8Array[] = [];
  let isDisabled = false;
  return {
    calls,
    held,
    isDisabled: () => isDisabled,
    listTools: () => findUsableTools(env, agentId),
    isAgentEnabled: async () =>
      (await loadAgentTerms(getDatabase(env.DB), agentId, null, Date.now())) !== null,
    async callTool(toolId, capability, parameters) {
      const callsBefore = calls.length;
      const { teamId } = task;
      const payer = { taskId, teamId, budget: createStepBudget(taskId, task, step, calls) };
      const call = { toolId, capability, parameters, agentId, visibleAgentIds: null };
      const outcome = await invokeTool(env, { ...call, findPayer: async () => ok(payer) });
      if (outcome.ok) return ok(outcome.value.result);
      isDisabled ||= outcome.failure.kind === "agent_disabled";
      const failure = toCallFailure(task, outcome.failure);
      // What was refused before it was paid for is a call that the agent made, all the same.
      if (outcome.failure.kind !== "task_budget_exceeded" && calls.length === callsBefore) {
        const problem = failure.message;
        calls.push({ toolId, capability, cost: 0, durationMs: 0, ok: false, problem });
      }
      return fail(failure);
    },
    async saveFile(file) {
      const { byteLength } = file.bytes;
      const heldAt = held.reduce((sum, one) => sum + one.byteLength, 0);
      const isHeld =
        byteLength <= INLINE_FILE_BYTES_MAX &&
        heldAt + byteLength <= INLINE_FILES_PER_STEP_BYTES_MAX;
      if (!isHeld) return saveDeliverable(env.FILES, taskId, task, file);
      held.push(file.bytes);
      return { ...createDeliverable(file, fileKey(taskId, task, file.name)), heldAt };
    },
  };
}

/** The budget of one step; calls that it pays for are added to `calls`. */
function createStepBudget(
  taskId: string,
  task: Task,
  step: StepBudget,
  calls: ToolCall[],
): CallBudget {
  const exceeded = (question: string): Failure => {
    return { kind: "task_budget_exceeded", taskId, question };
  };
  return {
    async reserve(priceMax) {
      const reserved = step.reserve(priceMax);
      if (!reserved.ok) return fail(exceeded(reserved.failure));
      return ok({
        costMax: reserved.value.costMax,
        async commit(call) {
          calls.push(call);
          step.commit(reserved.value, call.cost);
        },
        async release(isTooExpensive) {
          step.release(reserved.value);
          return isTooExpensive ? exceeded(costLimitQuestion(task.budget)) : null;
        },
      });
    },
  };
}

/** What an agent is told of a call that gave no result. */
export function toCallFailure(task: Task, failure: Failure): CallFailure {
  if (failure.kind === "task_budget_exceeded") return overBudget(task, failure.question);
  return { kind: isMishap(failure) ? "failed" : "refused", message: toWireError(failure).message };
}

/** People who answered the budget's question without raising it want no further calls. */
function overBudget(task: Task, question: string): CallFailure {
  const answered = task.answers.some((answer) => answer.question === question);
  return { kind: answered ? "refused" : "budget", message: question };
}

/** A failure of this one call, after which another may well succeed. */
function isMishap({ kind }: Failure): boolean {
  return kind === "validation" || kind === "tool_failed" || kind === "tool_timeout";
}
