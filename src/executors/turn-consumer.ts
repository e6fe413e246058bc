import {
  type ExecutionContext,
  type TurnOutcome,
  type TurnRequest,
  createFailOutcome,
} from "./contract.ts";
import { loadExecutor } from "../agents/read-agent.ts";
import type { ExecutorConfig } from "../agents/model/agent.ts";
import { expiresAt } from "../tasks/model/schedule.ts";
import { STORE_TIMEOUT_MS } from "../platform/limits.ts";
import { TURN_TIMEOUT_MS } from "../tasks/limits.ts";
import type { Task } from "../tasks/model/task.ts";
import type { AbandonedWork, ExecutorTurn, TurnMessage } from "../tasks/model/turn.ts";
import { createEgress } from "../platform/egress/egress.ts";
import { taskStub, type TaskRpc } from "../tasks/task.rpc.ts";
import { createTurnContext } from "./execution-context.ts";
import { withTimeout } from "../platform/promises.ts";
import { log } from "../platform/log.ts";
import { runWithRequestId } from "../platform/request-id.ts";

/** The delay after a turn that failed unexpectedly. */
const CRASH_DELAY_MS = 5_000;
/** How long a turn has to report its usage and work after its signal aborts. */
const SHUTDOWN_MS = 5_000;
/** The base delay before retrying to cancel a remote task. It doubles with each retry. */
const CANCEL_DELAY_SECONDS = 15;
const CANCEL_DELAY_MAX_SECONDS = 3_600;

/** Executes queued turns. A task queues a turn again if it receives no outcome, so turns are not retried here. */
export async function consumeTurns(batch: MessageBatch<TurnMessage>, env: Env): Promise<void> {
  await Promise.all(
    batch.messages.map(async (message) => {
      const { requestId = null } = message.body;
      const isDone = await runWithRequestId(requestId, () => handleMessage(env, message.body));
      const delaySeconds = CANCEL_DELAY_SECONDS * 2 ** message.attempts;
      if (isDone) message.ack();
      else message.retry({ delaySeconds: Math.min(delaySeconds, CANCEL_DELAY_MAX_SECONDS) });
    }),
  );
}

async function handleMessage(env: Env, message: TurnMessage): Promise<boolean> {
  try {
    if (message.kind === "cancel") return await cancelRemoteWork(env, message.abandoned);
    await runTurn(env, message.taskId, message.turn);
    return true;
  } catch (error) {
    log.error("turn_failed", { kind: message.kind, taskId: message.taskId, error });
    return message.kind === "turn";
  }
}

/**
 * Runs a turn and reports its outcome to the task. The calls to the task have timeouts, because a call that hangs would
 * block its batch of messages until the platform ends the invocation.
 */
async function runTurn(env: Env, taskId: string, turn: ExecutorTurn): Promise<void> {
  const stub = taskStub(env.TASKS, taskId);
  if (!stub.ok) return;
  const task = await withTimeout(STORE_TIMEOUT_MS, stub.value.beginTurn(turn));
  if (task === null) return;
  const outcome = await computeOutcome(env, stub.value, taskId, task, turn);
  await withTimeout(STORE_TIMEOUT_MS, stub.value.endTurn(turn, outcome));
}

/** Always returns an outcome, because the task waits for one. */
async function computeOutcome(
  env: Env,
  stub: TaskRpc,
  taskId: string,
  task: Task,
  turn: ExecutorTurn,
): Promise<TurnOutcome> {
  const timeoutMs = Math.min(TURN_TIMEOUT_MS, (expiresAt(task) ?? Infinity) - Date.now());
  const endsAt = Date.now() + timeoutMs;
  const abort = new AbortController();
  const timer = setTimeout(() => abort.abort(), timeoutMs - Math.min(SHUTDOWN_MS, timeoutMs / 2));
  try {
    const agent = await withTimeout(STORE_TIMEOUT_MS, loadExecutor(env, task.agentId));
    if (!agent.ok) return createFailOutcome(agent.failure, true);
    if (!agent.value.enabled) return createFailOutcome("The agent is disabled.", true);
    if (agent.value.isPaused) return { kind: "hold", work: {} };
    const { executor, secret, limits } = agent.value;
    const egress = createEgress(env);
    const work = { taskId, task, executor, secret, egress, signal: abort.signal };
    const context = createTurnContext(env, stub, taskId, task, turn, limits);
    return await withTimeout(endsAt - Date.now(), executeTurn(env, work, context));
  } catch (error) {
    log.error("turn_failed", { kind: "turn", taskId, error });
    return { kind: "again", afterMs: CRASH_DELAY_MS, failure: "The turn was interrupted." };
  } finally {
    clearTimeout(timer);
    abort.abort();
  }
}

async function executeTurn(
  env: Env & { readonly AI?: Ai },
  { executor, ...work }: TurnRequest<ExecutorConfig>,
  context: ExecutionContext,
): Promise<TurnOutcome> {
  switch (executor.type) {
    case "model": {
      const { runLlmTurn } = await import("./llm/turn.ts");
      return runLlmTurn({ ...work, executor }, context, env.AI ?? null);
    }
    case "a2a": {
      const { runA2aTurn } = await import("./a2a/turn.ts");
      return runA2aTurn({ ...work, executor }, context);
    }
    default:
      return createFailOutcome(`The agent's executor type has changed to ${executor.type}.`, true);
  }
}

/** Returns true if the remote task is cancelled or cannot be cancelled. */
async function cancelRemoteWork(env: Env, { agentId, work }: AbandonedWork): Promise<boolean> {
  const agent = await withTimeout(STORE_TIMEOUT_MS, loadExecutor(env, agentId));
  if (!agent.ok || agent.value.executor.type !== "a2a") return true;
  const { cancelAbandonedTask } = await import("./a2a/turn.ts");
  const { executor, secret } = agent.value;
  const egress = createEgress(env);
  const signal = AbortSignal.timeout(TURN_TIMEOUT_MS);
  return (await cancelAbandonedTask(work, { executor, secret, egress, signal })) === "done";
}
