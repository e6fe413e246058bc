import type { A2aExecutorConfig } from "../../agents/model/agent.ts";
import { A2A_TURN_DURATION_MS, A2A_TASK_AGE_MAX_MS, A2A_READ_TIMEOUT_MS } from "./limits.ts";
import { DAY_MS } from "../../kernel/units.ts";
import { ok, fail, type Result } from "../../kernel/result.ts";
import { toAgentAuthorization } from "../authorization.ts";
import {
  type ExecutionContext,
  type TurnOutcome,
  type TurnRequest,
  createFailOutcome,
} from "../contract.ts";
import { fetchAgentCard } from "./agent-card.ts";
import { A2aTransport, createA2aClient } from "./transport.ts";
import { toA2aTurnOutcome, toA2aErrorOutcome } from "./turn-outcome.ts";
import type { A2aFailure } from "./failure.ts";
import {
  followRemoteTask,
  sendA2aMessage,
  type A2aSessionResult,
  type A2aSession,
} from "./session.ts";
import {
  createA2aCheckpoint,
  parseA2aCheckpoint,
  resetCheckpointAge,
  type A2aEndpoint,
  type A2aCheckpoint,
} from "./checkpoint.ts";
import { ProgressWriter } from "./progress-writer.ts";
import {
  markMessageDelivered,
  buildA2aMessage,
  selectMessageReason,
  type A2aMessageReason,
} from "./messages.ts";
import { RemoteTaskState } from "./remote-task-state.ts";
import type { JsonObject } from "../../kernel/json.ts";
import { log } from "../../platform/log.ts";

const DAYS_MAX = A2A_TASK_AGE_MAX_MS / DAY_MS;
const TIMEOUT_MESSAGE = `The A2A agent did not finish within ${DAYS_MAX} days.`;

/**
 * Runs one turn with an A2A agent: sends a message if one is due, then follows the agent's task. Throws only if our
 * own stores fail.
 */
export async function runA2aTurn(
  request: TurnRequest<A2aExecutorConfig>,
  context: ExecutionContext,
): Promise<TurnOutcome> {
  const { task, egress, executor, secret, signal } = request;
  const startedAt = Date.now();
  const checkpoint = resetCheckpointAge(
    parseA2aCheckpoint(task.work) ?? createA2aCheckpoint(task.startedAt ?? startedAt),
    task,
  );
  const messageReason = selectMessageReason(task, checkpoint);
  // The remote task is cancelled, as after every failed attempt.
  if (messageReason === null && startedAt - checkpoint.since > A2A_TASK_AGE_MAX_MS)
    return createFailOutcome(TIMEOUT_MESSAGE, true);
  const resolved = await resolveEndpoint(request, checkpoint);
  if (!resolved.ok) return toA2aErrorOutcome(request, checkpoint, resolved.failure, false);
  let endpoint = resolved.value;
  const progressWriter = new ProgressWriter(context, task, checkpoint);
  const remoteTask = new RemoteTaskState(
    messageReason === null || messageReason === "answer" ? checkpoint.taskId : null,
    messageReason === "answer" ? checkpoint.asked : null,
  );
  const transport = new A2aTransport(egress, executor.cardUrl, toAgentAuthorization(secret));
  let isDelivered = messageReason === null;
  const session: A2aSession = {
    client: await createA2aClient(endpoint, transport),
    transport,
    remoteTask,
    progressWriter,
    signal,
    endsAt: startedAt + A2A_TURN_DURATION_MS,
    markDelivered() {
      if (isDelivered) return;
      isDelivered = true;
      const { taskId, contextId } = remoteTask;
      progressWriter.checkpoint = {
        ...markMessageDelivered(task, progressWriter.checkpoint, Date.now()),
        endpoint,
        taskId,
        contextId,
      };
    },
    disableStreaming() {
      endpoint = { ...endpoint, streaming: false };
      progressWriter.checkpoint = { ...progressWriter.checkpoint, endpoint };
    },
  };
  const result = await sendOrFollow(session, request, messageReason, endpoint);
  await progressWriter.flush(remoteTask, Date.now());
  if (progressWriter.isStopped) {
    await cancelUnrecordedTask(session, request.taskId);
    return toA2aTurnOutcome("working", session, request, context);
  }
  if (result.ok) return toA2aTurnOutcome(result.value, session, request, context);
  const { checkpoint: reached } = progressWriter;
  return toA2aErrorOutcome(request, reached, result.failure, reached.isStarted);
}

async function sendOrFollow(
  session: A2aSession,
  { taskId, task }: TurnRequest<A2aExecutorConfig>,
  messageReason: A2aMessageReason | null,
  endpoint: A2aEndpoint,
): Promise<A2aSessionResult> {
  const { streaming, takesData } = endpoint;
  if (messageReason === null) return followRemoteTask(session, streaming);
  const { checkpoint } = session.progressWriter;
  const message = buildA2aMessage(messageReason, taskId, task, checkpoint, takesData);
  const result = await sendA2aMessage(session, message, streaming);
  const kind = result.ok ? null : result.failure.kind;
  if (messageReason !== "answer" || (kind !== "unsupported" && kind !== "terminal")) return result;
  // The agent probably received the answer before a crash and completed the task.
  session.markDelivered();
  return followRemoteTask(session, false);
}

/** The endpoint from earlier turns, or else from the agent's card. The card is read again if its URL has changed. */
async function resolveEndpoint(
  { executor, egress, secret, signal }: TurnRequest<A2aExecutorConfig>,
  { endpoint }: A2aCheckpoint,
): Promise<Result<A2aEndpoint, A2aFailure>> {
  const { cardUrl } = executor;
  if (endpoint !== null && endpoint.cardUrl === URL.parse(cardUrl)?.href) return ok(endpoint);
  const card = await fetchAgentCard(egress, cardUrl, secret, signal);
  if (card.ok) return ok(card.value.endpoint);
  const { reason, internalReason, ...failure } = card.failure;
  const logged = internalReason && { internalReason: `its card ${internalReason}.` };
  return fail({ ...failure, reason: `its card ${reason}.`, ...logged });
}

/** Cancels the remote task of an ended attempt, if there is one. Returns "again" if the request failed temporarily. */
export async function cancelAbandonedTask(
  work: JsonObject,
  { executor, secret, egress, signal }: Omit<TurnRequest<A2aExecutorConfig>, "taskId" | "task">,
): Promise<"done" | "again"> {
  const { endpoint = null, taskId = null } = parseA2aCheckpoint(work) ?? {};
  if (endpoint === null || taskId === null) return "done";
  const transport = new A2aTransport(egress, executor.cardUrl, toAgentAuthorization(secret));
  const client = await createA2aClient(endpoint, transport);
  const failure = await cancelRemoteTask({ client, transport }, taskId, signal);
  return failure?.kind === "transient" ? "again" : "done";
}

async function cancelRemoteTask(
  { client, transport }: Pick<A2aSession, "client" | "transport">,
  id: string,
  signal: AbortSignal,
): Promise<A2aFailure | null> {
  transport.timeoutMs = A2A_READ_TIMEOUT_MS;
  try {
    await client.cancelTask({ tenant: "", id, metadata: undefined }, { signal });
    return null;
  } catch (error) {
    return transport.classifyError(error);
  }
}

/** Cancels a remote task that is not in the log. A repeated turn or `cancelAbandonedTask` handles the others. */
async function cancelUnrecordedTask(
  { client, transport, remoteTask, progressWriter }: A2aSession,
  ourTaskId: string,
): Promise<void> {
  const { taskId: id, mapping } = remoteTask;
  const isLive =
    mapping === null || mapping.kind === "working" || mapping.kind === "input_required";
  if (id === null || !isLive || progressWriter.isRecorded(id)) return;
  // The turn's own signal may already be aborted.
  const signal = AbortSignal.timeout(A2A_READ_TIMEOUT_MS);
  const failure = await cancelRemoteTask({ client, transport }, id, signal);
  if (failure === null || failure.kind === "terminal" || failure.kind === "not_found") return;
  log.warn("a2a_task_cancel_failed", { taskId: ourTaskId, error: failure.reason });
}
