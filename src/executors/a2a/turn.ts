import type { A2aExecutorConfig } from "../../agents/model/agent.ts";
import { A2A_TURN_DURATION_MS, A2A_TASK_AGE_MAX_MS } from "./limits.ts";
import { DAY_MS } from "../../kernel/units.ts";
import { ok, fail, type Result } from "../../kernel/result.ts";
import { toAgentAuthorization } from "../authorization.ts";
import {
  type ExecutionContext,
  type TurnOutcome,
  type TurnRequest,
  createFailOutcome,
} from "../contract.ts";
import { cancelUnrecordedTask } from "./cancel-remote.ts";
import { fetchAgentCard } from "./agent-card.ts";
import { A2aTransport, createA2aClient } from "./transport.ts";
import { toA2aTurnOutcome, toA2aErrorOutcome } from "./turn-outcome.ts";
import {
  createPermanentA2aFailure,
  createTransientA2aFailure,
  type A2aFailure,
} from "./failure.ts";
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
import { markMessageDelivered, buildA2aMessage, selectMessageReason } from "./messages.ts";
import {
  RemoteTaskState,
  A2A_MESSAGE_TARGETS,
  type A2aMessageReason,
} from "./remote-task-state.ts";

const DAYS_MAX = A2A_TASK_AGE_MAX_MS / DAY_MS;
const TIMEOUT_MESSAGE = `The A2A agent has not come to an end within ${DAYS_MAX} days.`;

/** One turn with an A2A agent: sends a message if one is due, then follows its task. Only our own stores throw. */
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
  // The remote task is canceled, as after every failed attempt.
  if (messageReason === null && startedAt - checkpoint.since > A2A_TASK_AGE_MAX_MS)
    return createFailOutcome(TIMEOUT_MESSAGE, true);
  const resolved = await resolveEndpoint(request, checkpoint);
  if (!resolved.ok) return toA2aErrorOutcome(request, checkpoint, resolved.failure, false);
  let endpoint = resolved.value;
  const progressWriter = new ProgressWriter(context, task, checkpoint);
  const remoteTask = createRemoteTaskState(messageReason, checkpoint);
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
      progressWriter.setCheckpoint({
        ...markMessageDelivered(task, progressWriter.checkpoint, Date.now()),
        endpoint,
        taskId,
        contextId,
      });
    },
    disableStreaming() {
      endpoint = { ...endpoint, streaming: false };
      progressWriter.setCheckpoint({ ...progressWriter.checkpoint, endpoint });
    },
  };
  const result = await sendOrFollow(session, request, messageReason, endpoint);
  await progressWriter.flush(remoteTask, Date.now());
  if (progressWriter.isStopped) {
    await cancelUnrecordedTask(session, request.taskId);
    return toA2aTurnOutcome({ kind: "stopped" }, session, request, context);
  }
  if (result.kind === "failure") {
    const { checkpoint: reached } = progressWriter;
    return toA2aErrorOutcome(request, reached, result.failure, reached.isStarted);
  }
  return toA2aTurnOutcome(result, session, request, context);
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
  const { kind } = result.kind === "failure" ? result.failure : { kind: null };
  if (messageReason !== "answer" || (kind !== "unsupported" && kind !== "terminal")) return result;
  // The agent has probably received the answer before a crash and completed the task.
  session.markDelivered();
  return followRemoteTask(session, false);
}

/** The endpoint of the earlier turns, or the card's. The card of an agent that has moved is read again. */
async function resolveEndpoint(
  { executor, egress, secret, signal }: TurnRequest<A2aExecutorConfig>,
  { endpoint }: A2aCheckpoint,
): Promise<Result<A2aEndpoint, A2aFailure>> {
  const { cardUrl } = executor;
  if (endpoint !== null && endpoint.cardUrl === URL.parse(cardUrl)?.href) return ok(endpoint);
  const card = await fetchAgentCard(egress, cardUrl, secret, signal);
  if (card.ok) return ok(card.value.endpoint);
  const { reason, publicReason, isTransient, status } = card.failure;
  const clause = `its card ${publicReason}.`;
  const failure =
    status === 401 || status === 403
      ? createPermanentA2aFailure(clause, "unauthorized")
      : isTransient
        ? createTransientA2aFailure(clause)
        : createPermanentA2aFailure(clause);
  const isInternal = reason !== publicReason;
  return fail({ ...failure, ...(isInternal ? { internalReason: `its card ${reason}.` } : {}) });
}

function createRemoteTaskState(
  messageReason: A2aMessageReason | null,
  { taskId, asked }: A2aCheckpoint,
): RemoteTaskState {
  const isSame = messageReason === null || A2A_MESSAGE_TARGETS[messageReason].task === "same";
  return new RemoteTaskState(isSame ? taskId : null, messageReason === "answer" ? asked : null);
}
