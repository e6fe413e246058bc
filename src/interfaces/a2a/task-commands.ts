import * as z from "zod";
import type { JsonObject } from "../../kernel/json.ts";
import { NOTES_CHARACTERS_MAX, COMMENT_CHARACTERS_MAX } from "../../tasks/limits.ts";
import { fail, ok, type Result } from "../../kernel/result.ts";
import { REVIEW_DECISIONS } from "../../tasks/model/task.ts";
import { taskStub, type ClientCommand, type TaskRpc } from "../../tasks/task.rpc.ts";
import { buildRetryCommand } from "../../tasks/api/retry-task.ts";
import type { A2aCallContext } from "./call-context.ts";
import { toRequestFailure, createInvalidParams, type A2aRequestFailure } from "./failures.ts";
import { findA2aTask, findLastRun, type FoundA2aTask } from "./tasks.ts";
import { parseMessage, type ParsedMessage, toPartsProblem } from "./parse-message.ts";
import type { A2aMessage } from "./schemas.ts";
import { sha256Hex } from "../../platform/crypto/hash.ts";
import { IdempotencyLock } from "../../platform/idempotency/idempotency-lock.ts";
import { type A2aTaskRef, formatA2aTaskId, parseA2aTaskId } from "./task-run.ts";

const answerSettings = z.strictObject({ decision: z.enum(REVIEW_DECISIONS).optional() });
const retrySettings = z.strictObject({ reassign: z.boolean().default(false) });

/** The command of a message to an existing task: an answer to its question, or a review. */
export async function planAnswer(
  call: A2aCallContext,
  message: A2aMessage,
  bosunMetadata: JsonObject,
): Promise<Result<PlannedCommand, A2aRequestFailure>> {
  const found = await findA2aTask(call, message.taskId ?? "");
  if (!found.ok) return found;
  const { ref, view } = found.value;
  if ((message.contextId ?? ref.taskId) !== ref.taskId) {
    const rule = `must be that of the task, ${ref.taskId}, or be left out`;
    return fail(createInvalidParams([{ path: "message.contextId", message: rule }]));
  }
  const command = answerCommandFor(found.value, message, bosunMetadata);
  if (!command.ok) return command;
  const stub = taskStub(call.env.TASKS, ref.taskId);
  if (!stub.ok) return fail(toRequestFailure(stub.failure));
  return ok({ stub: stub.value, command: command.value, seq: view.task.seq, ref });
}

function answerCommandFor(
  { view, isOpen }: FoundA2aTask,
  message: A2aMessage,
  bosunMetadata: JsonObject,
): Result<ClientCommand, A2aRequestFailure> {
  const { status } = view.task;
  if (!isOpen) {
    const hint =
      status === "failed"
        ? "to retry it, send a message with its contextId only"
        : "send a message without taskId and contextId for a new one";
    return unsupportedOperation(`A task that is ${status} accepts no more messages; ${hint}.`);
  }
  const parsed = parseMessage(message, bosunMetadata, answerSettings);
  if (!parsed.ok) return parsed;
  if (status === "blocked") return respondCommand(parsed.value);
  if (status === "review")
    return reviewCommand(parsed.value, parsed.value.settings.decision ?? "request_changes");
  return unsupportedOperation(
    `A task that is ${status} accepts messages only while it waits for an answer or a review; it can be cancelled.`,
  );
}

function respondCommand({
  text: messageText,
  context,
}: ParsedMessage): Result<ClientCommand, A2aRequestFailure> {
  const isText = Object.keys(context).length === 0 && messageText.length <= COMMENT_CHARACTERS_MAX;
  if (isText && messageText === "") return textRequired();
  const response = isText
    ? messageText
    : { ...(messageText === "" ? {} : { answer: messageText }), ...context };
  return ok({ type: "respond", response });
}

function reviewCommand(
  { text: messageText }: ParsedMessage,
  decision: (typeof REVIEW_DECISIONS)[number],
): Result<ClientCommand, A2aRequestFailure> {
  if (messageText === "" && decision === "request_changes") return textRequired();
  if (messageText.length > COMMENT_CHARACTERS_MAX)
    return textTooLong(messageText, COMMENT_CHARACTERS_MAX);
  return ok({ type: "review", decision, comment: messageText === "" ? null : messageText });
}

/** The command that retries a failed task, with the message text as notes and its data in the context. */
export async function planRetry(
  call: A2aCallContext,
  message: A2aMessage,
  bosunMetadata: JsonObject,
): Promise<Result<PlannedCommand, A2aRequestFailure>> {
  const found = await findLastRun(call, message.contextId ?? "");
  if (!found.ok) return found;
  if (found.value === null) {
    const rule = "must be the contextId of a task of this service, or be left out for a new one";
    return fail(createInvalidParams([{ path: "message.contextId", message: rule }]));
  }
  const { ref, view } = found.value;
  if (view.task.status !== "failed") {
    return unsupportedOperation(
      `The last task of this context is ${view.task.status}, and only a failed task can be retried. To answer a task, send its taskId; to create a new task, omit contextId.`,
    );
  }
  const parsed = parseMessage(message, bosunMetadata, retrySettings);
  if (!parsed.ok) return parsed;
  const { text: notes, context, settings } = parsed.value;
  if (notes.length > NOTES_CHARACTERS_MAX) return textTooLong(notes, NOTES_CHARACTERS_MAX);
  const stub = taskStub(call.env.TASKS, ref.taskId);
  if (!stub.ok) return fail(toRequestFailure(stub.failure));
  const command = await buildRetryCommand(call.env, stub.value, call.key, {
    ...settings,
    context: Object.keys(context).length === 0 ? null : context,
    ...(notes === "" ? {} : { notes }),
  });
  if (!command.ok) return fail(toRequestFailure(command.failure));
  return ok({
    stub: stub.value,
    command: command.value,
    seq: view.task.seq,
    ref: { ...ref, run: ref.run + 1 },
  });
}

function unsupportedOperation(message: string): Result<never, A2aRequestFailure> {
  return fail({ name: "unsupported_operation", message });
}

function textRequired(): Result<never, A2aRequestFailure> {
  const message = "must hold a text, or something to read";
  return fail(createInvalidParams([{ path: "message.parts", message }]));
}

function textTooLong(messageText: string, charactersMax: number): Result<never, A2aRequestFailure> {
  const message = `must hold at most ${charactersMax} characters of text here, got ${messageText.length}`;
  return fail(createInvalidParams([{ path: "message.parts", message }]));
}

/** The command of a message to an existing task, checked but not executed. */
export interface PlannedCommand {
  readonly stub: TaskRpc;
  readonly command: ClientCommand;
  /** The sequence number of the task that was checked; the command fails if it has changed. */
  readonly seq: number;
  /** The run after the command. */
  readonly ref: A2aTaskRef;
}

/** Executes the command unless the task has changed since it was checked. */
async function executePlannedCommand(
  { key }: A2aCallContext,
  { stub, command, seq, ref }: PlannedCommand,
): Promise<Result<A2aTaskRef, A2aRequestFailure>> {
  const done = await stub.command(key, command, [String(seq)]);
  if (done.ok) return ok(ref);
  if (done.failure.kind === "validation") {
    // The task checks only values from the parts; the settings have been checked.
    return fail(createInvalidParams(done.failure.problems.map(toPartsProblem)));
  }
  if (done.failure.kind !== "precondition_failed") return fail(toRequestFailure(done.failure));
  const message =
    "The task changed while the message was processed. Read it with GetTask, then send the message again if needed.";
  return fail({ name: "aborted", message });
}

/** Executes a message once; repeats return its task. `plan` changes nothing: if it fails, the message can be resent. */
export async function executeMessageOnce(
  call: A2aCallContext,
  message: A2aMessage,
  bosun: JsonObject,
  plan: () => Promise<Result<PlannedCommand, A2aRequestFailure>>,
): Promise<Result<A2aTaskRef, A2aRequestFailure>> {
  const { env, key } = call;
  const lock = new IdempotencyLock(env.ONCE, key.id, `a2a:${message.messageId}`, call.waitUntil);
  const fingerprint = await sha256Hex(JSON.stringify([key.id, message, bosun]));
  const lockState = await lock.acquire(fingerprint);
  switch (lockState.kind) {
    case "free":
      return lock.run({
        prepare: plan,
        execute: async (planned) =>
          planned.ok ? executePlannedCommand(call, planned.value) : planned,
        serialize: (done) => (done.ok ? async () => formatA2aTaskId(done.value) : null),
      });
    case "answered": {
      const ref = parseA2aTaskId(lockState.answer);
      if (ref === null)
        throw new Error("The stored response to a message must be the id of a task");
      return ok(ref);
    }
    case "reused":
      return fail(createMessageIdReused());
    case "in_progress": {
      const text = "This message is already being processed. Retry in a second.";
      return fail({ name: "aborted", message: text, headers: { "Retry-After": "1" } });
    }
    case "lost":
      return fail({ name: "aborted", message: ORIGINAL_LOST });
  }
}

/** The failure for a `messageId` that was used for another message. */
export function createMessageIdReused(): A2aRequestFailure {
  const message =
    "message.messageId was already used for a different message. Use a new messageId.";
  return { ...toRequestFailure({ kind: "idempotency_key_reused" }), message };
}

const ORIGINAL_LOST =
  "The original response was lost. The message may or may not have been applied: check the task, then send the message with a new messageId if needed.";
