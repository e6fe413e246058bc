import type {
  CallFailure,
  ExecutionContext,
  ModelUseFailure,
  ModelUseReservation,
  StepRequest,
} from "./contract.ts";
import { type Amounts, type LimitTerms, NO_AMOUNTS } from "../governance/model/spending/limit.ts";
import { reserveLimits } from "../governance/spending/reserve-limits.ts";
import { loadAgentTerms } from "../agents/agent-cache.ts";
import { getDatabase } from "../platform/d1/client.ts";
import type { Failure } from "../kernel/failure.ts";
import { INLINE_FILE_BYTES_MAX, INLINE_FILES_PER_STEP_BYTES_MAX } from "../tasks/limits.ts";
import { fail, ok, type Result } from "../kernel/result.ts";
import { hasAnswer, type ModelUsage, type Task, type ToolCall } from "../tasks/model/task.ts";
import { toWireError } from "../http/to-wire-error.ts";
import { findUsableTools, searchGrantedCapabilities } from "../tools/access.ts";
import { invokeTool, type InvocationEnv } from "../tools/invoke.ts";
import { accountOfTask, type CallBudget, type CallRequest } from "../tools/model/invocation.ts";
import { fileKey } from "../tasks/model/files.ts";
import { createDeliverable, saveDeliverable } from "../tasks/api/deliverables.ts";
import { invokeForTask } from "../tasks/api/invoke-for-task.ts";
import type { ExecutorTurn } from "../tasks/model/turn.ts";
import type { TaskRpc } from "../tasks/task.rpc.ts";
import type { Viewer } from "../keys/model/key.ts";

/** The service itself, acting on behalf of the task's agent. */
const SERVICE: Viewer = { agentId: null, teamId: null };

/** No key restricts the service's calls. */
const BY_SERVICE = { visibleAgentIds: null, keyId: null };

export type StepEnv = InvocationEnv & Pick<Env, "FILES">;

export interface StepContext extends ExecutionContext {
  readonly calls: readonly ToolCall[];
  readonly inlineFiles: readonly Uint8Array[];
  /** Whether a call in this step was rejected because the agent is disabled. */
  readonly isDisabled: () => boolean;
  /** Whether the agent is paused. A pause can be noticed up to a second late, but never after it has ended. */
  readonly isAgentPaused: () => Promise<boolean>;
}

/** Creates the context for a step, which runs inside the task's object. */
export function createStepContext(
  env: StepEnv,
  { taskId, task, budget, requestApproval }: StepRequest,
): StepContext {
  const agentId = agentIdOf(task);
  const calls: ToolCall[] = [];
  const inlineFiles: Uint8Array[] = [];
  let isDisabled = false;
  const account = accountOfTask(taskId, task);
  const payer = { ...account, budget: recordCalls(budget, calls), requestApproval };
  return {
    ...createAgentContext(env, agentId),
    calls,
    inlineFiles,
    isDisabled: () => isDisabled,
    isAgentPaused: async () =>
      (await loadAgentTerms(getDatabase(env.DB), agentId, null, Date.now()))?.isPaused === true,
    async callTool(toolId, capability, parameters) {
      const call = {
        toolId,
        capability,
        parameters,
        agentId,
        ...BY_SERVICE,
        source: "step" as const,
      };
      const outcome = await invokeTool(env, { ...call, payer });
      if (outcome.ok) return ok(outcome.value.result);
      isDisabled ||= outcome.failure.kind === "agent_disabled";
      return fail(toCallFailure(task, outcome.failure));
    },
    async saveFile(file) {
      const { byteLength } = file.bytes;
      const heldAt = inlineFiles.reduce((sum, one) => sum + one.byteLength, 0);
      const isInline =
        byteLength <= INLINE_FILE_BYTES_MAX &&
        heldAt + byteLength <= INLINE_FILES_PER_STEP_BYTES_MAX;
      if (!isInline) return saveDeliverable(env.FILES, taskId, task, file);
      inlineFiles.push(file.bytes);
      return { ...createDeliverable(file, fileKey(taskId, task, file.name)), heldAt };
    },
    reportProgress: async () => true,
    // A built-in agent uses no model.
    reserveModelUse: async () => ok({ settle: async () => {} }),
  };
}

/**
 * Creates the context for a turn, which runs outside the task's object. Each call is charged and logged before its
 * result is used. `limits`: the spending limits that cover the agent's model.
 */
export function createTurnContext(
  env: Env,
  stub: TaskRpc,
  taskId: string,
  task: Task,
  turn: ExecutorTurn,
  limits: readonly LimitTerms[],
): ExecutionContext {
  const agentId = agentIdOf(task);
  return {
    ...createAgentContext(env, agentId),
    async callTool(toolId, capability, parameters) {
      const request = {
        toolId,
        capability,
        parameters,
        agentId,
        ...BY_SERVICE,
        source: "turn" as const,
      };
      const outcome = await invokeForTask(env, SERVICE, taskId, request, {
        origin: { source: "turn", keyId: null, turn: turn.number },
        turn,
      });
      return outcome.ok ? ok(outcome.value.result) : fail(toCallFailure(task, outcome.failure));
    },
    // A lost turn must not overwrite the next turn's files.
    saveFile: (file) =>
      saveDeliverable(env.FILES, taskId, task, file, `${turn.openedSeq}-${turn.number}`),
    reportProgress: (progress) => stub.progressTurn(turn, progress),
    reserveModelUse: (use) => reserveModelUse(env, limits, use, agentId),
  };
}

async function reserveModelUse(
  env: Env,
  limits: readonly LimitTerms[],
  use: ModelUsage,
  agentId: string,
): Promise<Result<ModelUseReservation, ModelUseFailure>> {
  const reserved = await reserveLimits(env, limits, amountsOf(use), agentId);
  if (!reserved.ok) {
    const { failure, isAgentPaused } = reserved.failure;
    return fail({ message: toWireError(failure).message, isAgentPaused });
  }
  const { value: reservation } = reserved;
  return ok({ settle: (used) => reservation.settle(used === null ? NO_AMOUNTS : amountsOf(used)) });
}

function amountsOf({ inputTokens, outputTokens, cost }: ModelUsage): Amounts {
  return { usd: cost, calls: 0, tokens: inputTokens + outputTokens };
}

function agentIdOf({ agentId }: Task): string {
  if (agentId === null) throw new Error("A task in progress must have an agent");
  return agentId;
}

function createAgentContext(
  env: Pick<Env, "DB">,
  agentId: string,
): Pick<ExecutionContext, "isAgentEnabled" | "listTools" | "listCapabilities"> {
  return {
    isAgentEnabled: async () =>
      (await loadAgentTerms(getDatabase(env.DB), agentId, null, Date.now())) !== null,
    listTools: () => findUsableTools(env, agentId),
    listCapabilities: (search, limit) => searchGrantedCapabilities(env, agentId, { search, limit }),
  };
}

/** Failures of calls that are repeated later, so they are not recorded as rejected. */
const DEFERRED_CALLS: ReadonlySet<Failure["kind"]> = new Set([
  "task_budget_exceeded",
  "approval_pending",
  "agent_paused",
]);

/**
 * Wraps a budget so that the calls charged to it are added to `calls`, and also the rejected calls, except those that
 * that people must decide about and those of a paused agent, which are repeated later.
 */
function recordCalls(budget: CallBudget, calls: ToolCall[]): CallBudget {
  function addRejected({ id, toolId, capability }: CallRequest, failure: Failure): void {
    if (DEFERRED_CALLS.has(failure.kind)) return;
    const problem = toWireError(failure).message;
    calls.push({ toolId, capability, cost: 0, durationMs: 0, ok: false, problem, callId: id });
  }
  return {
    async reserve(terms, request) {
      const reserved = await budget.reserve(terms, request);
      if (!reserved.ok) {
        addRejected(request, reserved.failure);
        return reserved;
      }
      const { value: reservation } = reserved;
      return ok({
        costMax: reservation.costMax,
        async commit(call, outcome) {
          calls.push(call);
          await reservation.commit(call, outcome);
        },
        async release(isTooExpensive, failure) {
          const overBudget = await reservation.release(isTooExpensive, failure);
          // If the meter is unavailable, the step fails and is repeated. The attempt must add no event to the log.
          if (failure.kind !== "unavailable") addRejected(request, overBudget ?? failure);
          return overBudget;
        },
      });
    },
    async reject(request, failure) {
      addRejected(request, failure);
      await budget.reject(request, failure);
    },
  };
}

/** Failures of a permitted call. All others, except an exceeded budget, mean that the call was rejected. */
const CALL_FAILURES: ReadonlySet<Failure["kind"]> = new Set([
  "validation",
  "tool_failed",
  "tool_timeout",
]);

function toCallFailure(task: Task, failure: Failure): CallFailure {
  if (failure.kind === "task_budget_exceeded") {
    const { question } = failure;
    // If people answered the budget question without raising the budget, the call is rejected.
    return { kind: hasAnswer(task, question) ? "rejected" : "budget", message: question };
  }
  const { message } = toWireError(failure);
  if (failure.kind === "approval_pending")
    return { kind: "approval", message, approvalId: failure.approvalId };
  if (failure.kind === "agent_paused") return { kind: "paused", message };
  return { kind: CALL_FAILURES.has(failure.kind) ? "failed" : "rejected", message };
}
