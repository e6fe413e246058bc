import type { Actor } from "../../governance/model/audit-entry.ts";
import { createFieldFailure, type Failure } from "../../kernel/failure.ts";
import { isOverBudget } from "../model/budget.ts";
import {
  queueStub,
  type CallerTasks,
  type OverBudgetRemoval,
} from "../../agents/queue/queue.rpc.ts";
import { withTimeout } from "../../platform/promises.ts";
import type { Key, Viewer } from "../../keys/model/key.ts";
import { OVER_BUDGET_PAGES_MAX, OVER_BUDGET_READS_AT_ONCE_MAX } from "../limits.ts";
import { STORE_TIMEOUT_MS } from "../../platform/limits.ts";
import { isActive, blockOf, type Task } from "../model/task.ts";
import { jsonSizeOf } from "../../kernel/json.ts";
import { fail, ok, type Result } from "../../kernel/result.ts";
import type { ExecutorTurn } from "../model/turn.ts";
import { illegalTransition } from "../model/guards.ts";
import { invokeTool, type InvocationEnv, UNLIMITED_BUDGET } from "../../tools/invoke.ts";
import type { InvocationUsageResponse } from "../../tools/invocation-schemas.ts";
import { invocationUsageView } from "../../tools/view.ts";
import { RESULT_INLINE_BYTES_MAX } from "../../tools/limits.ts";
import { offloadLargeResult } from "../../tools/large-results.ts";
import {
  accountOfTask,
  type CallBudget,
  type CallingAgent,
  type CallPayer,
  type CallRequest,
  type Invocation,
  type InvocationResult,
  type RequestTaskApproval,
} from "../../tools/model/invocation.ts";
import type { CallOrigin, CallSource } from "../model/call-record.ts";
import { recordCallEnd, recordRejection, recordStartedCall } from "../record-call.ts";
import { taskStub, type TaskRpc } from "../task.rpc.ts";
import { log } from "../../platform/log.ts";

const QUEUE_UNAVAILABLE = { kind: "unavailable", what: "The agent's queue" } as const;
const NO_TASKS: CallerTasks = { claimed: [], overBudget: [] };

type ClientCall = Pick<Invocation, "toolId" | "capability" | "parameters" | "agentId">;

export interface ClientInvocation extends Pick<InvocationResult, "result" | "window"> {
  readonly usage: InvocationUsageResponse;
}

/** `origin`: of the request, used in links. */
interface ClientContext {
  readonly origin: string;
  readonly source: CallSource;
  readonly actor: Actor;
  readonly waitUntil: (promise: Promise<unknown>) => void;
}

/**
 * Who makes a call for a task. `turn`: the agent's turn that makes the call; null for any other call. `waitUntil`: keeps
 * a promise running after the response; if absent, the call waits until its record is stored.
 */
export interface Caller {
  readonly origin: CallOrigin;
  readonly turn: ExecutorTurn | null;
  /** The approval of the call; absent if it has none. */
  readonly approvalId?: string;
  readonly waitUntil?: (promise: Promise<unknown>) => void;
}

/** Invokes a tool for a REST or MCP client. `taskId`: the task whose budget pays; null if none is named. */
export async function invokeForClient(
  env: InvocationEnv & Pick<Env, "TASKS" | "QUEUES" | "FILES" | "SIGNING_KEY">,
  key: Key,
  call: ClientCall,
  taskId: string | null,
  { origin, source, actor, waitUntil }: ClientContext,
): Promise<Result<ClientInvocation, Failure>> {
  const visible = {
    ...call,
    keyId: key.id,
    source,
    visibleAgentIds: key.agentIds,
    client: { actor, waitUntil },
  };
  const caller: Caller = { origin: { source, keyId: key.id, turn: null }, turn: null, waitUntil };
  const pending =
    taskId === null
      ? invokeTool(env, { ...visible, payer: (agent) => findClaimedTask(env, key, agent, caller) })
      : invokeForTask(env, key, taskId, visible, caller);
  // A call is metered and charged even if the client disconnects.
  waitUntil(pending.catch(() => null));
  const invoked = await pending;
  if (!invoked.ok) return invoked;
  const { result, window } = invoked.value;
  const isLarge = jsonSizeOf(result) > RESULT_INLINE_BYTES_MAX;
  const shown = isLarge ? await offloadLargeResult(env, origin, call.toolId, result) : result;
  return ok({ result: shown, usage: invocationUsageView(call, invoked.value), window });
}

/**
 * Invokes a tool for a task in progress. The task's agent makes the call, and the task's budget pays. `agentId` must be
 * that agent or null. If the viewer can read the task, the call is recorded even if it is rejected.
 */
export async function invokeForTask(
  env: InvocationEnv & Pick<Env, "TASKS">,
  viewer: Viewer,
  taskId: string,
  call: Omit<Invocation, "payer">,
  caller: Caller,
): Promise<Result<InvocationResult, Failure>> {
  const stub = taskStub(env.TASKS, taskId);
  if (!stub.ok) return stub;
  const task = await stub.value.read(viewer);
  if (!task.ok) return task;
  const budget = createTaskBudget(stub.value, viewer, caller);
  const agentId = agentFor(task.value, call.agentId);
  if (!agentId.ok) {
    const { toolId, capability, parameters } = call;
    const request = { toolId, capability, parameters, agentId: call.agentId };
    const made = { ...request, id: crypto.randomUUID(), startedAt: Date.now() };
    await budget.reject(made, agentId.failure);
    return agentId;
  }
  const requestApproval = createApprovalRequester(stub.value, viewer, caller);
  const payer = { ...accountOfTask(taskId, task.value), budget, requestApproval };
  return invokeTool(env, { ...call, agentId: agentId.value, payer });
}

/**
 * Finds the payer of a call that does not name a task. If the call is made with an agent's own key and the key has
 * claimed exactly one task, that task pays. Any other call is rejected if a task is required, or if the key has claimed
 * no task and one of its agent's tasks is over budget.
 */
async function findClaimedTask(
  env: Pick<Env, "TASKS" | "QUEUES">,
  key: Key,
  agent: CallingAgent | null,
  caller: Caller,
): Promise<Result<CallPayer, Failure>> {
  const account = { taskId: null, teamId: key.teamId, keyId: key.id, labels: null };
  const withoutTask = { ...account, budget: UNLIMITED_BUDGET, requestApproval: null };
  const isRequired = key.requireTask || agent?.requireTask === true;
  const isClaimant = key.agentId !== null && agent?.executor === "worker";
  if (!isRequired && !isClaimant) return ok(withoutTask);
  // A team's key must not see other teams' tasks.
  const mayName = agent?.executor === "worker" && key.teamId === null;
  const tasks = mayName || isClaimant ? await callerTasks(env, agent.id, key.id) : ok(NO_TASKS);
  if (!tasks.ok) return tasks;
  const claimed = mayName ? tasks.value.claimed : [];
  const [taskId, ...others] = claimed;
  if (isClaimant && taskId !== undefined && others.length === 0) {
    const task = await findTaskInProgress(env, key, taskId, agent.id, caller);
    if (task !== null) return ok(task);
  }
  if (isClaimant && others.length === 0) {
    const held = taskId === undefined ? [] : [taskId];
    const overBudget = await findOverBudget(env, key, agent.id, held, tasks.value.overBudget);
    if (overBudget !== null) return fail(overBudget);
  }
  if (!isRequired) return ok(withoutTask);
  return fail({ kind: "task_required", taskIds: claimed });
}

/** If the queue cannot be reached, the call is rejected, because otherwise no budget would pay for it. */
async function callerTasks(
  env: Pick<Env, "QUEUES">,
  agentId: string,
  keyId: string,
): Promise<Result<CallerTasks, Failure>> {
  try {
    return ok(
      await withTimeout(STORE_TIMEOUT_MS, queueStub(env.QUEUES, agentId).listCallerTasks(keyId)),
    );
  } catch (error) {
    log.error("queue_read_failed", { agentId, error });
    return fail(QUEUE_UNAVAILABLE);
  }
}

/** The claimed task as the payer; null if the agent is no longer working on it. The queue may not know this yet. */
async function findTaskInProgress(
  env: Pick<Env, "TASKS">,
  viewer: Viewer,
  taskId: string,
  agentId: string,
  caller: Caller,
): Promise<CallPayer | null> {
  const stub = taskStub(env.TASKS, taskId);
  const task = stub.ok ? await stub.value.read(viewer) : stub;
  if (!stub.ok || !task.ok || task.value.agentId !== agentId || !isActive(task.value)) return null;
  return {
    ...accountOfTask(taskId, task.value),
    budget: createTaskBudget(stub.value, viewer, caller),
    requestApproval: createApprovalRequester(stub.value, viewer, caller),
  };
}

/**
 * Returns a failure if one of the agent's tasks is over budget, or if this cannot be determined; otherwise null.
 * `held`: the task that the queue still lists as claimed, if any. `listed`: the first page of the queue's over-budget
 * tasks.
 */
async function findOverBudget(
  env: Pick<Env, "TASKS" | "QUEUES">,
  viewer: Viewer,
  agentId: string,
  held: readonly string[],
  listed: readonly string[],
): Promise<Failure | null> {
  const queue = queueStub(env.QUEUES, agentId);
  try {
    let page: readonly string[] = [...new Set([...held, ...listed])];
    for (let pages = 0; page.length > 0; pages += 1) {
      // A task that was not read may be over budget.
      if (pages === OVER_BUDGET_PAGES_MAX) return QUEUE_UNAVAILABLE;
      const { failure, outdated } = await readOverBudget(env, viewer, page);
      const forget = () => withTimeout(STORE_TIMEOUT_MS, queue.removeOverBudget(outdated));
      if (failure !== null) {
        // Removing these tasks only saves the next call from reading them again.
        if (outdated.length > 0) await forget().catch(() => null);
        return failure;
      }
      page = await forget();
    }
    return null;
  } catch (error) {
    log.error("queue_read_failed", { agentId, error });
    return QUEUE_UNAVAILABLE;
  }
}

/** Reads tasks until one is over budget or a read fails. `outdated`: the tasks that are not over budget. */
async function readOverBudget(
  env: Pick<Env, "TASKS">,
  viewer: Viewer,
  taskIds: readonly string[],
): Promise<{ failure: Failure | null; outdated: readonly OverBudgetRemoval[] }> {
  const unread = taskIds.values();
  const failures: Failure[] = [];
  const outdated: OverBudgetRemoval[] = [];
  const readOn = async (): Promise<void> => {
    for (const taskId of unread) {
      const stub = taskStub(env.TASKS, taskId);
      const read = stub.ok ? await stub.value.read(viewer) : stub;
      if (!read.ok && read.failure.kind !== "not_found") {
        failures.push(read.failure);
      } else if (read.ok && isOverBudget(read.value)) {
        const question = blockOf(read.value)?.question ?? "";
        failures.push({ kind: "task_budget_exceeded", taskId, question });
      } else {
        outdated.push({ taskId, seq: read.ok ? read.value.seq : Infinity });
      }
      if (failures.length > 0) return;
    }
  };
  await Promise.all(Array.from({ length: OVER_BUDGET_READS_AT_ONCE_MAX }, readOn));
  return { failure: failures[0] ?? null, outdated };
}

function agentFor(task: Task, named: string | null): Result<string, Failure> {
  if (task.agentId === null) return fail(illegalTransition(task, "spend"));
  if (named === null || named === task.agentId) return ok(task.agentId);
  return fail(
    createFieldFailure("agentId", "must be the id of the task's own agent, or be omitted"),
  );
}

/** Stores a task's calls until people decide about them. */
function createApprovalRequester(
  stub: TaskRpc,
  viewer: Viewer,
  { turn }: Caller,
): RequestTaskApproval {
  return (draft) => stub.requestApproval(viewer, turn, draft);
}

/** The call budget of a task, kept by the task's object, which also stores the records of the calls. */
function createTaskBudget(
  stub: TaskRpc,
  viewer: Viewer,
  { origin, turn, approvalId, waitUntil }: Caller,
): CallBudget {
  async function storeRejection(request: CallRequest, failure: Failure): Promise<void> {
    try {
      const started = await recordStartedCall(request, origin);
      const rejected = { ...started, end: recordRejection(failure) };
      await withTimeout(STORE_TIMEOUT_MS, stub.recordRejectedCall(viewer, rejected));
    } catch (error) {
      log.warn("call_record_failed", { toolId: request.toolId, error });
    }
  }
  return {
    async reserve({ priceMax, isSafe }, request) {
      const started = await recordStartedCall(request, origin);
      const reserving = { started, isSafe };
      const reserved = await stub.reserveCall(viewer, priceMax, turn, reserving, approvalId);
      if (!reserved.ok) return reserved;
      const { costMax, attempt } = reserved.value;
      return ok({
        costMax,
        async commit(call, outcome) {
          try {
            const record = { ...started, attempt, end: await recordCallEnd(call, outcome) };
            await stub.payCall(reserved.value, call, record);
          } catch (error) {
            // The call was made, and its outcome matters more than the log entry.
            log.warn("call_payment_failed", { toolId: call.toolId, error });
          }
        },
        release: (isTooExpensive, failure) => {
          const record = { ...started, attempt, end: recordRejection(failure) };
          return stub.releaseCall(reserved.value, isTooExpensive, record);
        },
      });
    },
    async reject(request, failure) {
      const stored = storeRejection(request, failure);
      if (waitUntil === undefined) await stored;
      else waitUntil(stored);
    },
  };
}
