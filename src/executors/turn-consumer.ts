import {
  type ExecutionContext,
  type TurnOutcome,
  type TurnRequest,
  createFailOutcome,
} from "./contract.ts";
import { loadExecutor, type ExecutorAgent } from "../agents/read-agent.ts";
import type { ExecutorConfig } from "../agents/model/agent.ts";
import { expiresAt } from "../tasks/model/schedule.ts";
import { STORE_TIMEOUT_MS } from "../platform/limits.ts";
import { TURN_TIMEOUT_MS } from "../tasks/limits.ts";
import type { Task } from "../tasks/model/task.ts";
import type { AbandonedWork, ExecutorTurn, TurnMessage } from "../tasks/model/turn.ts";
import { createEgress } from "../platform/egress/egress.ts";
import { taskStub, type TaskRpc } from "../tasks/task.rpc.ts";
import { createTurnContext } from "./execution-context.ts";
import { withTimeout } from "../platform/timeout.ts";
import { log } from "../platform/log.ts";
import { runWithRequestId } from "../platform/request-id.ts";

/** A pause after a turn that met something nobody thought of. */
const SURPRISE_PAUSE_MS = 5_000;
/** What a turn has left to come to an end when it is told to. */
const LAST_WORDS_MS = 5_000;
/** How long to wait before an agent elsewhere is asked again to stop. */
const CANCEL_PAUSE_SECONDS = 15;
const CANCEL_PAUSE_MAX_SECONDS = 3_600;

/** Executes queued turns. A task sends a turn again if it does not receive the outcome, so turns are not retried here. */
export async function consumeTurns(batch: MessageBatch<TurnMessage>, env: Env): Promise<void> {
  await Promise.all(
    batch.messages.map(async (message) => {
      const { requestId = null } = message.body;
      const isDone = await runWithRequestId(requestId, () => handled(env, message.body));
      const pauseSeconds = CANCEL_PAUSE_SECONDS * 2 ** message.attempts;
      if (isDone) message.ack();
      else message.retry({ delaySeconds: Math.min(pauseSeconds, CANCEL_PAUSE_MAX_SECONDS) });
    }),
  );
}

async function handled(env: Env, message: TurnMessage): Promise<boolean> {
  try {
    if (message.kind === "cancel") return await cancelElsewhere(env, message.abandoned);
    await takeTurn(env, message.taskId, message.turn);
    return true;
  } catch (error) {
    log.error("turn_failed", { kind: message.kind, taskId: message.taskId, error });
    return message.kind === "turn";
  }
}

async function takeTurn(env: Env, taskId: string, turn: ExecutorTurn): Promise<void> {
  const port = taskStub(env.TASKS, taskId);
  if (!port.ok) return;
  const task = await port.value.beginTurn(turn);
  if (task === null) return;
  await port.value.endTurn(turn, await outcomeOf(env, port.value, taskId, task, turn));
}

/** Whatever happens in a turn comes to an outcome: the task waits for it. */
async function outcomeOf(
  env: Env,
  port: TaskRpc,
  taskId: string,
  task: Task,
  turn: ExecutorTurn,
): Promise<TurnOutcome> {
  const timeoutMs = Math.min(TURN_TIMEOUT_MS, (expiresAt(task) ?? Infinity) - Date.now());
  const endsAt = Date.now() + timeoutMs;
  const over = new AbortController();
  // What is told to stop before its time is over can still say what it has used and done.
  const last = setTimeout(() => over.abort(), timeoutMs - Math.min(LAST_WORDS_MS, timeoutMs / 2));
  try {
    const agent = await withTimeout(STORE_TIMEOUT_MS, loadExecutor(env, task.agentId));
    if (!agent.ok) return createFailOutcome(agent.failure, true);
    if (!agent.value.enabled) return createFailOutcome("The agent is disabled.", true);
    const work = workOf(env, taskId, task, agent.value, over.signal);
    const hands = createTurnContext(env, port, taskId, task, turn);
    return await withTimeout(endsAt - Date.now(), stepOf(env, work, hands));
  } catch (error) {
    log.error("turn_failed", { kind: "turn", taskId, error });
    return { kind: "again", afterMs: SURPRISE_PAUSE_MS, fault: "A turn of the work broke off." };
  } finally {
    clearTimeout(last);
    over.abort();
  }
}

async function stepOf(
  env: Env,
  { executor, ...work }: TurnRequest<ExecutorConfig>,
  hands: ExecutionContext,
): Promise<TurnOutcome> {
  switch (executor.type) {
    case "model": {
      const { runLlmTurn } = await import("./llm/turn.ts");
      return runLlmTurn({ ...work, executor }, hands, aiOf(env));
    }
    case "a2a": {
      const { runA2aTurn } = await import("./a2a/turn.ts");
      return runA2aTurn({ ...work, executor }, hands);
    }
    default:
      return createFailOutcome(`The agent has become one of type ${executor.type}.`, true);
  }
}

/** True once the agent elsewhere knows, or cannot be told any more. */
async function cancelElsewhere(env: Env, { agentId, work }: AbandonedWork): Promise<boolean> {
  const agent = await withTimeout(STORE_TIMEOUT_MS, loadExecutor(env, agentId));
  if (!agent.ok || agent.value.executor.type !== "a2a") return true;
  const { cancelAbandonedTask } = await import("./a2a/cancel-remote.ts");
  const { executor, secret } = agent.value;
  const egress = createEgress(env);
  const signal = AbortSignal.timeout(TURN_TIMEOUT_MS);
  return (await cancelAbandonedTask({ work, executor, secret, egress, signal })) === "done";
}

function workOf(
  env: Env,
  taskId: string,
  task: Task,
  { executor, secret }: ExecutorAgent,
  signal: AbortSignal,
): TurnRequest<ExecutorConfig> {
  return { taskId, task, executor, secret, egress: createEgress(env), signal };
}

/** The binding of Workers AI, which an account must have and wrangler.toml then names. */
function aiOf(env: Env & { readonly AI?: Ai }): Ai | null {
  return env.AI ?? null;
}
