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
import { createFailOutcome, toA2aErrorOutcome } from "./error-outcome.ts";
import { joinTextParts, formatMessageText } from "./messages.ts";

type OutcomeRequest = Pick<TurnRequest<A2aExecutorConfig>, "taskId" | "task" | "secret" | "signal">;

/** What a turn comes to whose talk met no fault. */
export async function toA2aTurnOutcome(
  result: Exclude<A2aSessionResult, { kind: "fault" }>,
  session: A2aSession,
  work: OutcomeRequest,
  context: ExecutionContext,
): Promise<TurnOutcome> {
  const { remoteTask, progressWriter } = session;
  const { mapping, message, reply } = remoteTask;
  const { checkpoint } = progressWriter;
  if (result.kind !== "settled") return createContinueOutcome(checkpoint.since);
  if (reply !== null) return buildCompleteOutcome(reply, [], session, work, context);
  switch (mapping?.kind) {
    case undefined:
    case "going":
      return createContinueOutcome(checkpoint.since);
    case "asks":
      return {
        kind: "block",
        why: mapping.why,
        question: formatMessageText(message) || mapping.otherwise,
        work: serializeA2aCheckpoint({ ...checkpoint, asked: remoteTask.statusKey }),
      };
    case "over": {
      const words = formatMessageText(message);
      return createFailOutcome(
        words === "" ? mapping.otherwise : `${mapping.lead}${words}`,
        mapping.retryable,
      );
    }
    case "done": {
      const completeTask = result.by === "look" ? remoteTask : await fetchCompleteTask(session);
      if (completeTask instanceof RemoteTaskState) {
        return buildCompleteOutcome(
          completeTask.message,
          [...completeTask.artifacts.values()],
          session,
          work,
          context,
        );
      }
      if (remoteTask.artifacts.size === 0)
        return toA2aErrorOutcome(work, checkpoint, completeTask.fault, true);
      return buildCompleteOutcome(
        message,
        [...remoteTask.artifacts.values()],
        session,
        work,
        context,
      );
    }
  }
}

/**
 * The task as the agent keeps it, which is surer than what was put together from a stream: chunks
 * can come twice or in another order. Where it keeps less than it has sent, what it has sent counts.
 */
async function fetchCompleteTask(
  session: A2aSession,
): Promise<RemoteTaskState | Extract<A2aSessionResult, { kind: "fault" }>> {
  const { remoteTask } = session;
  const completeTask = new RemoteTaskState(remoteTask.taskId, null);
  const failedResult =
    remoteTask.taskId === null
      ? null
      : await fetchRemoteTask({ ...session, remoteTask: completeTask }, remoteTask.taskId);
  if (failedResult?.kind === "fault") return failedResult;
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
  // Where there is nothing but a message, it is what was made.
  const artifactsToSave =
    artifacts.length === 0 && message !== null && isAnswer ? [toArtifact(message)] : artifacts;
  const saved = await saveArtifacts(artifactsToSave, requestedTypes, {
    line: transport,
    hands: context,
    signal,
  });
  return { kind: "complete", outcome: buildA2aOutcome(message, artifacts, saved) };
}

function toArtifact({ messageId, parts, extensions }: Message): Artifact {
  return {
    artifactId: messageId,
    name: "answer",
    description: "",
    parts: parts.map((part) => part),
    metadata: undefined,
    extensions,
  };
}

function createContinueOutcome(since: number): TurnOutcome {
  return { kind: "again", afterMs: computePollDelayMs(Date.now() - since), fault: null };
}
