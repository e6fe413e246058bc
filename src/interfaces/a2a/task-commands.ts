import * as z from "zod";
import type { JsonObject } from "../../kernel/json.ts";
import { NOTES_CHARACTERS_MAX, COMMENT_CHARACTERS_MAX } from "../../tasks/limits.ts";
import type { Message } from "@a2a-js/sdk";
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
import { planNewTask } from "./create-task.ts";
import type { MessageExecution } from "./execute-once.ts";
import type { A2aTaskRef } from "./task-run.ts";
import { contextIdOf } from "./view.ts";

const answerSettings = z.strictObject({ decision: z.enum(REVIEW_DECISIONS).optional() });
const retrySettings = z.strictObject({ reassign: z.boolean().default(false) });

/** The command of a message to an existing task: an answer to its question, or a review. */
export async function planAnswer(
  call: A2aCallContext,
  message: Message,
  bosunMetadata: JsonObject,
): Promise<MessageExecution> {
  const found = await findA2aTask(call, message.taskId);
  const { view } = found;
  const contextId = contextIdOf(view);
  if (message.contextId !== "" && message.contextId !== contextId) {
    const rule = `must be that of the task, ${contextId}, or be left out`;
    throw invalidParam("message.contextId", rule);
  }
  const command = answerCommandFor(found, message, bosunMetadata);
  const stub = orThrow(taskStub(call.env.TASKS, view.taskId));
  return () => executePlannedCommand(call, { stub, command, seq: view.task.seq, ref: view });
}

function answerCommandFor(
  { view, isOpen }: FoundA2aTask,
  message: Message,
  bosunMetadata: JsonObject,
): ClientCommand {
  const { status } = view.task;
  if (!isOpen) {
    // In another context, such a message would create a task.
    const isRetried = status === "failed" && contextIdOf(view) === view.taskId;
    const purpose = isRetried ? "to retry it" : "for a new task in its context";
    throw new UnsupportedOperationError(
      `A task that is ${status} accepts no more messages; ${purpose}, send a message with its contextId only.`,
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

/**
 * A message to the context of a task. If the task has failed, it is retried, with the message text as notes and its data
 * in the context; if it has ended otherwise, a new task follows it in the same context.
 */
export async function planNextTask(
  call: A2aCallContext,
  message: Message,
  bosunMetadata: JsonObject,
): Promise<MessageExecution> {
  const taskId = message.contextId;
  const view = (await readVisibleViews(call, taskId)).at(-1);
  if (view === undefined || contextIdOf(view) !== taskId) {
    const rule = "must be the contextId of a task of this service, or be left out for a new one";
    throw invalidParam("message.contextId", rule);
  }
  const { status } = view.task;
  if (status === "completed" || status === "cancelled")
    return planNewTask(call, message, bosunMetadata);
  if (status !== "failed") {
    throw new UnsupportedOperationError(
      `The task of this context is ${status} and has not ended. To answer it, send its taskId; to create a new task, omit contextId.`,
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
  const ref = { taskId, run: view.run + 1 };
  return () => executePlannedCommand(call, { stub, command, seq: view.task.seq, ref });
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
interface PlannedCommand {
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
