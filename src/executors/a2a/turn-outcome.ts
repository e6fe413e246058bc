import * as z from "zod";
import type { Message } from "@a2a-js/sdk";
import type { A2aExecutorConfig } from "../../agents/model/agent.ts";
import { A2A_TEXT_CHARACTERS_MAX, A2A_FINDING_CHARACTERS_MAX, A2A_FINDINGS_MAX } from "./limits.ts";
import {
  type ExecutionContext,
  type TurnOutcome,
  type TurnRequest,
  createFailOutcome,
} from "../contract.ts";
import { saveArtifacts, type FileSource, type SavedArtifacts } from "./save-artifacts.ts";
import { fetchRemoteTask, type A2aSessionResult, type A2aSession } from "./session.ts";
import { serializeA2aCheckpoint, type A2aCheckpoint } from "./checkpoint.ts";
import { computePollDelayMs, computeA2aRetryDelayMs } from "./intervals.ts";
import { RemoteTaskState } from "./remote-task-state.ts";
import { joinTextParts, formatMessageText } from "./messages.ts";
import type { TaskOutcome } from "../../tasks/model/task.ts";
import { ok, type Result } from "../../kernel/result.ts";
import { sanitizeText } from "../../kernel/text.ts";
import { createRedactor } from "../../tools/model/redaction.ts";
import type { A2aFailure } from "./failure.ts";
import { qualityScoresSchema } from "../stored-outcome.ts";
import { toAgentAuthorization } from "../authorization.ts";
import { log } from "../../platform/log.ts";

type OutcomeRequest = Pick<TurnRequest<A2aExecutorConfig>, "taskId" | "task" | "secret" | "signal">;

export async function toA2aTurnOutcome(
  result: Extract<A2aSessionResult, { ok: true }>["value"],
  session: A2aSession,
  request: OutcomeRequest,
  context: ExecutionContext,
): Promise<TurnOutcome> {
  const { remoteTask, progressWriter } = session;
  const { mapping, message, reply } = remoteTask;
  const { checkpoint } = progressWriter;
  if (result === "working") return createContinueOutcome(checkpoint.since);
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
      const complete = result === "polled" ? ok(remoteTask) : await fetchCompleteTask(session);
      if (!complete.ok && remoteTask.artifacts.size === 0)
        return toA2aErrorOutcome(request, checkpoint, complete.failure, true);
      const source = complete.ok ? complete.value : remoteTask;
      const artifacts = [...source.artifacts.values()];
      return buildCompleteOutcome(source.message, artifacts, session, request, context);
    }
  }
}

/**
 * Fetches the task as the agent stores it, because a stream can repeat chunks. Returns the streamed state instead if
 * the stored task has a different state or fewer artifacts.
 */
async function fetchCompleteTask(
  session: A2aSession,
): Promise<Result<RemoteTaskState, A2aFailure>> {
  const { remoteTask } = session;
  const { taskId, state, artifacts } = remoteTask;
  if (taskId === null) return ok(remoteTask);
  const stored = new RemoteTaskState(taskId, null);
  const failed = await fetchRemoteTask({ ...session, remoteTask: stored }, taskId);
  if (failed?.ok === false) return failed;
  const isWhole = stored.state === state && stored.artifacts.size >= artifacts.size;
  return ok(isWhole ? stored : remoteTask);
}

async function buildCompleteOutcome(
  message: Message | null,
  artifacts: readonly FileSource[],
  { transport, remoteTask }: A2aSession,
  { task, signal }: OutcomeRequest,
  context: ExecutionContext,
): Promise<TurnOutcome> {
  const requestedTypes = task.deliverableTypes;
  const text = joinTextParts(message?.parts ?? []);
  const isAnswer =
    remoteTask.reply !== null || requestedTypes.length > 0 || text.length > A2A_TEXT_CHARACTERS_MAX;
  // Without artifacts, the message is the result.
  const artifactsToSave =
    artifacts.length === 0 && message !== null && isAnswer
      ? [{ artifactId: message.messageId, name: "answer", parts: message.parts }]
      : artifacts;
  const saved = await saveArtifacts(artifactsToSave, requestedTypes, transport, context, signal);
  return { kind: "complete", outcome: buildA2aOutcome(message, artifacts, saved) };
}

function createContinueOutcome(since: number): TurnOutcome {
  return { kind: "again", afterMs: computePollDelayMs(Date.now() - since), failure: null };
}

const findingsSchema = z
  .array(z.string().transform((text) => sanitizeText(text, A2A_FINDING_CHARACTERS_MAX)))
  .transform((all) => all.filter((text) => text !== "").slice(0, A2A_FINDINGS_MAX));

/** A result in a data part. Fields with invalid values are ignored. */
const resultSchema = z.object({
  summary: z.string().nullish().catch(null),
  insights: findingsSchema.nullish().catch(null),
  recommendations: findingsSchema.nullish().catch(null),
  quality: qualityScoresSchema.nullish().catch(null),
});
const NO_SUMMARY = "The agent completed the task without a summary.";

/** Builds the outcome from an agent's message and artifacts. */
export function buildA2aOutcome(
  message: Message | null,
  artifacts: readonly FileSource[],
  { deliverables, notes }: SavedArtifacts,
): TaskOutcome {
  const parts = [...(message?.parts ?? []), ...artifacts.flatMap((artifact) => artifact.parts)];
  const result = parts
    .flatMap(({ content }) => {
      const parsed = resultSchema.safeParse(content?.$case === "data" ? content.value : null);
      return parsed.success ? [parsed.data] : [];
    })
    .find((one) => Object.values(one).some((value) => value !== null && value !== undefined));
  const texts = artifacts
    .map((artifact) => joinTextParts(artifact.parts, ""))
    .filter((text) => text !== "");
  const summary =
    result?.summary?.trim() ||
    joinTextParts(message?.parts ?? []) ||
    texts.join("\n\n") ||
    NO_SUMMARY;
  return {
    result: {
      summary: appendFileNotes(summary, notes),
      insights: result?.insights ?? [],
      recommendations: result?.recommendations ?? [],
    },
    quality: result?.quality ?? null,
    deliverables,
  };
}

function appendFileNotes(summary: string, notes: readonly string[]): string {
  if (notes.length === 0) return sanitizeText(summary, A2A_TEXT_CHARACTERS_MAX);
  const noteText = sanitizeText(notes.join("\n"), A2A_TEXT_CHARACTERS_MAX / 2);
  return `${sanitizeText(summary, A2A_TEXT_CHARACTERS_MAX - noteText.length - 2)}\n\n${noteText}`;
}

const MESSAGE_PREFIX = "The A2A agent cannot be used: ";

/**
 * The outcome of a failed turn. While the agent is working (`isUnderWay`), a failure may affect only one response, so
 * the turn is retried.
 */
export function toA2aErrorOutcome(
  { taskId, task, secret }: Pick<TurnRequest<A2aExecutorConfig>, "taskId" | "task" | "secret">,
  checkpoint: A2aCheckpoint,
  failure: A2aFailure,
  isUnderWay: boolean,
): TurnOutcome {
  const redaction = createRedactor(toAgentAuthorization(secret));
  const reason = redaction.text(failure.reason);
  if (failure.internalReason !== undefined) {
    const error = redaction.text(failure.internalReason);
    log.warn("a2a_request_failed", { taskId, agentId: task.agentId, error });
  }
  switch (failure.kind) {
    case "unauthorized": {
      // The next answer is a response to the service's question, not the agent's, so the agent does not receive it.
      const own = [...checkpoint.own, task.answers.length];
      return {
        kind: "block",
        why: "auth",
        question: formatAuthQuestion(reason, secret !== null, task.agentId),
        work: serializeA2aCheckpoint({ ...checkpoint, own }),
      };
    }
    case "not_found": {
      const prefix = isUnderWay ? "The A2A agent no longer knows the task: " : MESSAGE_PREFIX;
      return createFailOutcome(`${prefix}${reason}`, true);
    }
    case "transient":
    case "unsupported":
    case "terminal":
    case "permanent": {
      const message = `${MESSAGE_PREFIX}${reason}`;
      if (failure.kind !== "transient" && !isUnderWay) return createFailOutcome(message, false);
      const ageMs = Date.now() - checkpoint.since;
      const afterMs = computeA2aRetryDelayMs(ageMs, failure.retryAfterSeconds);
      return { kind: "again", afterMs, failure: message };
    }
  }
}

function formatAuthQuestion(reason: string, hasKey: boolean, agentId: string | null): string {
  const what = hasKey ? "rejects its stored key" : "requires a key";
  return `The A2A agent ${what}: ${reason} Set its API key with PATCH /agents/${agentId ?? "{agentId}"}, then respond to this question to continue. Do not include the key in the response.`;
}
