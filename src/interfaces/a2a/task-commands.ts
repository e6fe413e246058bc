import * as z from "zod";
import type { JsonObject } from "../../kernel/json.ts";
import { NOTES_CHARACTERS_MAX, COMMENT_CHARACTERS_MAX } from "../../tasks/limits.ts";
import { Message } from "@a2a-js/sdk";
import { UnsupportedOperationError } from "@a2a-js/sdk/errors";
import { REVIEW_DECISIONS } from "../../tasks/model/task.ts";
import { taskStub, type ClientCommand, type TaskRpc } from "../../tasks/task.rpc.ts";
import { buildRetryCommand } from "../../tasks/api/retry-task.ts";
import type { A2aCallContext } from "./call-context.ts";
import { fail, ok, type Result } from "../../kernel/result.ts";
import {
  invalidParam,
  invalidParams,
  orThrow,
  type RequestError,
  ServiceError,
  toRequestError,
} from "./errors.ts";
import { findA2aTask, type FoundA2aTask, readVisibleViews } from "./tasks.ts";
import { parseMessage, type ParsedMessage, toPartsProblem } from "./parse-message.ts";
import { sha256Hex } from "../../platform/crypto/hash.ts";
import { IdempotencyLock } from "../../platform/idempotency/idempotency-lock.ts";
import { type A2aTaskRef, formatA2aTaskId, parseA2aTaskId } from "./task-run.ts";
import { contextIdOf } from "./view.ts";

const answerSettings = z.strictObject({ decision: z.enum(REVIEW_DECISIONS).optional() });
const retrySettings = z.strictObject({ reassign: z.boolean().default(false) });

/** The command of a message to an existing task: an answer to its question, or a review. */
export async function planAnswer(
  call: A2aCallContext,
  message: Message,
  bosunMetadata: JsonObject,
): Promise<PlannedCommand> {
  const found = await findA2aTask(call, message.taskId);
  const { ref, view } = found;
  const contextId = contextIdOf(ref, view);
  if (message.contextId !== "" && message.contextId !== contextId) {
    const rule = `must be that of the task, ${contextId}, or be left out`;
    throw invalidParam("message.contextId", rule);
  }
  const command = answerCommandFor(found, message, bosunMetadata);
  return { stub: orThrow(taskStub(call.env.TASKS, ref.taskId)), command, seq: view.task.seq, ref };
}

function answerCommandFor(
  { view, isOpen }: FoundA2aTask,
  message: Message,
  bosunMetadata: JsonObject,
): ClientCommand {
  const { status } = view.task;
  if (!isOpen) {
    const hint =
      status === "failed"
        ? "to retry it, send a message with its contextId only"
        : "send a message without taskId and contextId for a new one";
    throw new UnsupportedOperationError(
      `A task that is ${status} accepts no more messages; ${hint}.`,
    );
  }
  const parsed = parseMessage(message, bosunMetadata, answerSettings);
  if (status === "blocked") return respondCommand(parsed);
  if (status === "review")
    return reviewCommand(parsed, parsed.settings.decision ?? "request_changes");
  throw new UnsupportedOperationError(
    `A task that is ${status} accepts messages only while it waits for an answer or a review; it can be cancelled.`,
  );
}

function respondCommand({ text, context }: ParsedMessage): ClientCommand {
  const isText = Object.keys(context).length === 0 && text.length <= COMMENT_CHARACTERS_MAX;
  if (isText && text === "") throw textRequired();
  const response = isText ? text : { ...(text === "" ? {} : { answer: text }), ...context };
  return { type: "respond", response };
}

function reviewCommand(
  { text }: ParsedMessage,
  decision: (typeof REVIEW_DECISIONS)[number],
): ClientCommand {
  if (text === "" && decision === "request_changes") throw textRequired();
  checkTextLength(text, COMMENT_CHARACTERS_MAX);
  return { type: "review", decision, comment: text === "" ? null : text };
}

/** The command that retries a failed task, with the message text as notes and its data in the context. */
export async function planRetry(
  call: A2aCallContext,
  message: Message,
  bosunMetadata: JsonObject,
): Promise<PlannedCommand> {
  const taskId = message.contextId;
  const view = (await readVisibleViews(call, taskId)).at(-1);
  if (view === undefined || contextIdOf({ taskId, run: view.run }, view) !== taskId) {
    const rule = "must be the contextId of a task of this service, or be left out for a new one";
    throw invalidParam("message.contextId", rule);
  }
  if (view.task.status !== "failed") {
    throw new UnsupportedOperationError(
      `The last task of this context is ${view.task.status}, and only a failed task can be retried. To answer a task, send its taskId; to create a new task, omit contextId.`,
    );
  }
  const parsed = parseMessage(message, bosunMetadata, retrySettings);
  const { text: notes, context, settings } = parsed;
  checkTextLength(notes, NOTES_CHARACTERS_MAX);
  const stub = orThrow(taskStub(call.env.TASKS, taskId));
  const command = orThrow(
    await buildRetryCommand(call.env, stub, call.key, {
      ...settings,
      context: Object.keys(context).length === 0 ? null : context,
      ...(notes === "" ? {} : { notes }),
    }),
  );
  return { stub, command, seq: view.task.seq, ref: { taskId, run: view.run + 1 } };
}

function textRequired(): ServiceError {
  return invalidParam("message.parts", "must hold a text, or something to read");
}

function checkTextLength(text: string, charactersMax: number): void {
  if (text.length <= charactersMax) return;
  const rule = `must hold at most ${charactersMax} characters of text here, got ${text.length}`;
  throw invalidParam("message.parts", rule);
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
): Promise<Result<A2aTaskRef, RequestError>> {
  const done = await stub.command(key, command, [String(seq)]);
  if (done.ok) return ok(ref);
  if (done.failure.kind === "validation") {
    // The task checks only values from the parts; the settings have been checked.
    return fail(invalidParams(done.failure.problems.map(toPartsProblem)));
  }
  if (done.failure.kind !== "precondition_failed") return fail(toRequestError(done.failure));
  const message =
    "The task changed while the message was processed. Read it with GetTask, then send the message again if needed.";
  return fail(new ServiceError("ABORTED", message));
}

/** Executes a message once; repeats return its task. `plan` changes nothing: if it fails, the message can be resent. */
export async function executeMessageOnce(
  call: A2aCallContext,
  message: Message,
  bosun: JsonObject,
  plan: () => Promise<PlannedCommand>,
): Promise<A2aTaskRef> {
  const { env, key } = call;
  const lock = new IdempotencyLock(env.ONCE, key.id, `a2a:${message.messageId}`, call.waitUntil);
  const fingerprint = await sha256Hex(JSON.stringify([key.id, Message.toJSON(message), bosun]));
  const lockState = await lock.acquire(fingerprint);
  switch (lockState.kind) {
    case "free": {
      const done = await lock.run({
        prepare: plan,
        // An exception here would mean that the effect is unknown.
        execute: async (planned) => executePlannedCommand(call, planned),
        serialize: (result) => (result.ok ? async () => formatA2aTaskId(result.value) : null),
      });
      if (done.ok) return done.value;
      throw done.failure;
    }
    case "answered": {
      const ref = parseA2aTaskId(lockState.answer);
      if (ref === null)
        throw new Error("The stored response to a message must be the id of a task");
      return ref;
    }
    case "reused":
      throw messageIdReused();
    case "in_progress": {
      const text = "This message is already being processed. Retry in a second.";
      throw new ServiceError("ABORTED", text, { headers: { "Retry-After": "1" } });
    }
    case "lost":
      throw new ServiceError("ABORTED", ORIGINAL_LOST);
  }
}

/** The error for a `messageId` that was used for another message. */
export function messageIdReused(): ServiceError {
  const message =
    "message.messageId was already used for a different message. Use a new messageId.";
  return new ServiceError("INVALID_PARAMS", message);
}

const ORIGINAL_LOST =
  "The original response was lost. The message may or may not have been applied: check the task, then send the message with a new messageId if needed.";
