import type { TurnHands, TurnOutcome, TurnWork } from "../agents/executors/contract.ts";
import { standingOf } from "../agents/registry.ts";
import { openAgentSecret } from "../agents/secret.ts";
import { database } from "../db/client.ts";
import type { AgentSecret, Executor } from "../domain/agent.ts";
import { limitAt } from "../domain/clockwork.ts";
import { STORE_WAIT_MS, TURN_TIMEOUT_MS } from "../domain/limits.ts";
import { fail, ok, type Result } from "../domain/result.ts";
import type { Task } from "../domain/task.ts";
import type { Turn } from "../domain/turn.ts";
import { egressOf } from "../egress/egress.ts";
import type { Abandoned } from "./beside.ts";
import { taskOf, type TaskPort } from "./port.ts";
import { turnHandsOf } from "./turn-hands.ts";
import type { TurnMessage } from "./turn-message.ts";
import { within } from "../clock/within.ts";

/** A pause after a turn that met something nobody thought of. */
const SURPRISE_PAUSE_MS = 5_000;
/** What a turn has left to come to an end when it is told to. */
const LAST_WORDS_MS = 5_000;
/** How long to wait before an agent elsewhere is asked again to stop. */
const CANCEL_PAUSE_SECONDS = 15;
const CANCEL_PAUSE_MAX_SECONDS = 3_600;

/**
 * Does the turns that agents' tasks have sent. A message is done with once its task has been told, as
 * the task itself sends again what it does not hear of.
 */
export async function consumeTurns(batch: MessageBatch<TurnMessage>, env: Env): Promise<void> {
  await Promise.all(
    batch.messages.map(async (message) => {
      const isDone = await handled(env, message.body);
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
    console.error({ event: "turn_fault", kind: message.kind, taskId: message.taskId, error });
    return message.kind === "turn";
  }
}

async function takeTurn(env: Env, taskId: string, turn: Turn): Promise<void> {
  const port = taskOf(env.TASKS, taskId);
  if (!port.ok) return;
  const task = await port.value.beginTurn(turn);
  if (task === null) return;
  await port.value.endTurn(turn, await outcomeOf(env, port.value, taskId, task, turn));
}

/** Whatever happens in a turn comes to an outcome: the task waits for it. */
async function outcomeOf(
  env: Env,
  port: TaskPort,
  taskId: string,
  task: Task,
  turn: Turn,
): Promise<TurnOutcome> {
  const timeoutMs = Math.min(TURN_TIMEOUT_MS, (limitAt(task) ?? Infinity) - Date.now());
  const endsAt = Date.now() + timeoutMs;
  const over = new AbortController();
  // What is told to stop before its time is over can still say what it has used and done.
  const last = setTimeout(() => over.abort(), timeoutMs - Math.min(LAST_WORDS_MS, timeoutMs / 2));
  try {
    const agent = await within(STORE_WAIT_MS, agentOf(env, task.agentId));
    if (!agent.ok) return failed(agent.failure);
    if (!agent.value.enabled) return failed("The agent is disabled.");
    const work = workOf(env, taskId, task, agent.value, over.signal);
    const hands = turnHandsOf(env, port, taskId, task, turn);
    return await within(endsAt - Date.now(), stepOf(env, work, hands));
  } catch (error) {
    console.error({ event: "turn_fault", kind: "turn", taskId, error });
    return { kind: "again", afterMs: SURPRISE_PAUSE_MS, fault: "A turn of the work broke off." };
  } finally {
    clearTimeout(last);
    over.abort();
  }
}

async function stepOf(
  env: Env,
  { executor, ...work }: TurnWork<Executor>,
  hands: TurnHands,
): Promise<TurnOutcome> {
  switch (executor.type) {
    case "model": {
      const { modelTurn } = await import("../agents/executors/model/turn.ts");
      return modelTurn({ ...work, executor }, hands, aiOf(env));
    }
    case "a2a": {
      const { a2aTurn } = await import("../agents/executors/a2a/turn.ts");
      return a2aTurn({ ...work, executor }, hands);
    }
    default:
      return failed(`The agent has become one of type ${executor.type}.`);
  }
}

/** True once the agent elsewhere knows, or cannot be told any more. */
async function cancelElsewhere(env: Env, { agentId, work }: Abandoned): Promise<boolean> {
  const agent = await within(STORE_WAIT_MS, agentOf(env, agentId));
  if (!agent.ok || agent.value.executor.type !== "a2a") return true;
  const { cancelUpstream } = await import("../agents/executors/a2a/cancel.ts");
  const { executor, secret } = agent.value;
  const egress = egressOf(env);
  const signal = AbortSignal.timeout(TURN_TIMEOUT_MS);
  return (await cancelUpstream({ work, executor, secret, egress, signal })) === "done";
}

interface Agent {
  readonly executor: Executor;
  readonly enabled: boolean;
  readonly secret: AgentSecret | null;
}

async function agentOf(env: Env, agentId: string | null): Promise<Result<Agent, string>> {
  const known = agentId === null ? null : await standingOf(database(env.DB), agentId);
  if (agentId === null || known === null) return fail("The agent is no longer registered.");
  const secret = await openAgentSecret(env, agentId, known.sealed);
  const { executor, enabled } = known;
  return secret.ok ? ok({ executor, enabled, secret: secret.value }) : secret;
}

function workOf(
  env: Env,
  taskId: string,
  task: Task,
  { executor, secret }: Agent,
  signal: AbortSignal,
): TurnWork<Executor> {
  return { taskId, task, executor, secret, egress: egressOf(env), signal };
}

function failed(message: string): TurnOutcome {
  return { kind: "fail", error: { code: "AGENT_ERROR", message, retryable: true } };
}

/** The binding of Workers AI, which an account must have and wrangler.toml then names. */
function aiOf(env: Env & { readonly AI?: Ai }): Ai | null {
  return env.AI ?? null;
}
