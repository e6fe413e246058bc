import type { Artifact, Message } from "@a2a-js/sdk";
import type { A2aExecutorConfig } from "../../agents/model/agent.ts";
import { A2A_TEXT_CHARACTERS_MAX } from "./limits.ts";
import type { ExecutionContext, TurnOutcome, TurnRequest } from "../contract.ts";
import { saveArtifacts } from "./save-artifacts.ts";
import { fetchRemoteTask, type A2aSessionResult, type A2aSession } from "./session.ts";
import { serializeA2aCheckpoint } from "./checkpoint.ts";
import { buildA2aOutcome } from "./task-outcome.ts";
import { computePollDelayMs } from "./intervals.ts";
import { RemoteTaskState } from "./remote-task-state.ts";
import { toA2aErrorOutcome } from "./error-outcome.ts";
import { createFailOutcome } from "../fail-outcome.ts";
import { joinTextParts, formatMessageText } from "./messages.ts";

type OutcomeRequest = Pick<TurnRequest<A2aExecutorConfig>, "taskId" | "task" | "secret" | "signal">;

/** The outcome of a turn without a failure. */
export async function toA2aTurnOutcome(
  result: Exclude<A2aSessionResult, { kind: "failure" }>,
  session: A2aSession,
  request: OutcomeRequest,
  context: ExecutionContext,
): Promise<TurnOutcome> {
  const { remoteTask, progressWriter } = session;
  const { mapping, message, reply } = remoteTask;
  const { checkpoint } = progressWriter;
  if (result.kind !== "settled") return createContinueOutcome(checkpoint.since);
  if (reply !== null) return buildCompleteOutcome(reply, [], session, request, context);
  switch (mapping?.kind) {
    case undefined:
    case "working":
      return createContinueOutcome(checkpoint.since);
    case "input_required":
      return {
        kind: "block",
        why: mapping.blockKind,
        question: formatMessageText(message) || mapping.defaultText,
        work: serializeA2aCheckpoint({ ...checkpoint, asked: remoteTask.statusKey }),
      };
    case "failed": {
      const text = formatMessageText(message);
      const failureText = text === "" ? mapping.defaultText : `${mapping.prefix}${text}`;
      return createFailOutcome(failureText, mapping.retryable);
    }
    case "completed": {
      const completeTask = result.by === "poll" ? remoteTask : await fetchCompleteTask(session);
      if (!(completeTask instanceof RemoteTaskState) && remoteTask.artifacts.size === 0)
        return toA2aErrorOutcome(request, checkpoint, completeTask.failure, true);
      const source = completeTask instanceof RemoteTaskState ? completeTask : remoteTask;
      const artifacts = [...source.artifacts.values()];
      return buildCompleteOutcome(source.message, artifacts, session, request, context);
    }
  }
}

/**
 * The task as the agent stores it, because chunks of a stream can arrive twice or out of order. If the agent
 * stores fewer artifacts than it has sent, the state from the stream counts.
 */
async function fetchCompleteTask(
  session: A2aSession,
): Promise<RemoteTaskState | Extract<A2aSessionResult, { kind: "failure" }>> {
  const { remoteTask } = session;
  const completeTask = new RemoteTaskState(remoteTask.taskId, null);
  const failedResult =
    remoteTask.taskId === null
      ? null
      : await fetchRemoteTask({ ...session, remoteTask: completeTask }, remoteTask.taskId);
  if (failedResult?.kind === "failure") return failedResult;
  const isWhole =
    completeTask.state === remoteTask.state &&
    completeTask.artifacts.size >= remoteTask.artifacts.size;
  return isWhole ? completeTask : remoteTask;
}

async function buildCompleteOutcome(
  message: Message | null,
  artifacts: readonly Artifact[],
  { transport, remoteTask }: A2aSession,
  { task, signal }: OutcomeRequest,
  context: ExecutionContext,
): Promise<TurnOutcome> {
  const requestedTypes = task.deliverableTypes;
  const text = joinTextParts(message?.parts ?? []);
  const isAnswer =
    remoteTask.reply !== null || requestedTypes.length > 0 || text.length > A2A_TEXT_CHARACTERS_MAX;
  // Without artifacts the message is the result.
  const artifactsToSave =
    artifacts.length === 0 && message !== null && isAnswer ? [toArtifact(message)] : artifacts;
  const saved = await saveArtifacts(artifactsToSave, requestedTypes, transport, context, signal);
  return { kind: "complete", outcome: buildA2aOutcome(message, artifacts, saved) };
}

function toArtifact({ messageId, parts, extensions }: Message): Artifact {
  return {
    artifactId: messageId,
    name: "answer",
    description: "",
    parts: [...parts],
    metadata: undefined,
    extensions,
  };
}

function createContinueOutcome(since: number): TurnOutcome {
  return { kind: "again", afterMs: computePollDelayMs(Date.now() - since), fault: null };
}
