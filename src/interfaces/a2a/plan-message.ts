import type { Message } from "@a2a-js/sdk";
import { UnsupportedOperationError } from "@a2a-js/sdk/errors";
import * as z from "zod";
import type { Failure } from "../../kernel/failure.ts";
import type { JsonObject } from "../../kernel/json.ts";
import { fail, ok, type Result } from "../../kernel/result.ts";
import { createTask } from "../../tasks/api/create-task.ts";
import { buildRetryCommand } from "../../tasks/api/retry-task.ts";
import { repeatableTaskBody } from "../../tasks/api/schemas.ts";
import {
  COMMENT_CHARACTERS_MAX,
  NOTES_CHARACTERS_MAX,
  TASK_CHARACTERS_MAX,
} from "../../tasks/limits.ts";
import { senderOf } from "../../tasks/model/author.ts";
import { splitTaskText } from "../../tasks/model/task-input/split-task.ts";
import { REVIEW_DECISIONS } from "../../tasks/model/task.ts";
import { type ClientCommand, newTaskStub, taskStub } from "../../tasks/task.rpc.ts";
import type { A2aCallContext } from "./call-context.ts";
import {
  invalidParam,
  invalidParams,
  orThrow,
  type RequestError,
  ServiceError,
  toRequestError,
} from "./errors.ts";
import {
  parseMessage,
  type ParsedMessage,
  SETTINGS_PATH,
  toPartsProblem,
} from "./parse-message.ts";
import type { A2aTaskRef, A2aTaskView } from "./task-run.ts";
import { findA2aTask, type FoundA2aTask, readVisibleViews } from "./tasks.ts";
import { contextIdOf } from "./view.ts";

/**
 * Executes a validated message. Expected errors are returned, because an exception means that the outcome is unknown.
 */
export type MessageExecution = () => Promise<Result<A2aTaskRef, RequestError>>;

/** The fields of `metadata.bosun` for a new task. */
const newTaskSettings = repeatableTaskBody.pick({
  agentId: true,
  teamId: true,
  priority: true,
  deadline: true,
  deliverables: true,
  budget: true,
});

/**
 * Validates a message for a new task. The returned function creates the task, or finds it if the message was already
 * sent.
 */
export function planNewTask(
  { env, key }: A2aCallContext,
  message: Message,
  bosunMetadata: JsonObject,
): MessageExecution {
  const parsed = parseMessage(message, bosunMetadata, newTaskSettings);
  const { text: messageText, context, settings } = parsed;
  if (messageText === "") {
    throw invalidParam("message.parts", "must contain text that describes the work");
  }
  const body = { ...settings, ...splitMessageText(messageText, context) };
  const contextId = message.contextId === "" ? null : message.contextId;
  const idempotencyKey = idempotencyKeyOf(message.messageId);
  return async () => {
    const created = await createTask(env, key, body, idempotencyKey, { contextId });
    return created.ok
      ? ok({ taskId: created.value.id, run: 1 })
      : fail(toMessageError(created.failure));
  };
}

function idempotencyKeyOf(messageId: string): string {
  return `a2a:${messageId}`;
}

/** The id of the task that a message creates, whether or not that task exists yet. */
export function newTaskRefOf({ env, key }: A2aCallContext, messageId: string): A2aTaskRef {
  const idempotency = { keyId: key.id, key: idempotencyKeyOf(messageId) };
  return { taskId: newTaskStub(env.TASKS, idempotency).id, run: 1 };
}

/**
 * Uses the message text as the task's description. If the text is too long, the input that it contains moves to the
 * context. If that is not possible, the context receives the whole text, and the description only its beginning.
 */
function splitMessageText(
  messageText: string,
  context: JsonObject,
): { task: string; context: JsonObject } {
  if (messageText.length <= TASK_CHARACTERS_MAX) return { task: messageText, context };
  const { instruction, input } = splitTaskText(messageText);
  const isShort = instruction !== "" && instruction.length <= TASK_CHARACTERS_MAX;
  if (isShort && input !== null && !Object.hasOwn(context, input.kind)) {
    return { task: instruction, context: { ...context, [input.kind]: input.value } };
  }
  const task = truncateText(messageText);
  const whole = prependToContextText(messageText, context);
  return { task, context: whole };
}

/** Prepends the message text to the context's own text. */
function prependToContextText(messageText: string, context: JsonObject): JsonObject {
  const { text = "" } = context;
  if (typeof text === "string") {
    return { ...context, text: text === "" ? messageText : `${messageText}\n\n${text}` };
  }
  const message = `must not contain both a "text" value that is not a string and more than ${TASK_CHARACTERS_MAX} characters of message text, which would be added to "text"`;
  throw invalidParam("message.parts", message);
}

/** The beginning of a long text, cut between words if possible. */
function truncateText(messageText: string): string {
  const head = messageText.slice(0, TASK_CHARACTERS_MAX);
  const gap = head.search(/\s\S*$/);
  // Do not split a surrogate pair.
  return (gap > 0 ? head.slice(0, gap) : head).replace(/[\ud800-\udbff]$/, "");
}

/** Converts a failure to create the task to an error whose paths refer to the client's message. */
function toMessageError(failure: Failure): RequestError {
  const error = toRequestError(failure);
  switch (failure.kind) {
    case "idempotency_key_reused":
      return messageIdReused();
    case "validation":
      return invalidParams(
        failure.problems.map((problem) =>
          // The context comes from the parts. Any other problem is in the settings.
          /^context\b/.test(problem.path)
            ? toPartsProblem(problem)
            : { ...problem, path: `${SETTINGS_PATH}.${problem.path}` },
        ),
      );
    case "not_found": {
      const { message } = error;
      const problems = [{ path: `${SETTINGS_PATH}.${failure.what}Id`, message }];
      return new ServiceError("INVALID_PARAMS", message, { problems });
    }
    default:
      return error;
  }
}

export function messageIdReused(): ServiceError {
  const message =
    "message.messageId was already used for a different message. Use a new messageId.";
  return new ServiceError("INVALID_PARAMS", message);
}

const answerSettings = z.strictObject({ decision: z.enum(REVIEW_DECISIONS).optional() });
const retrySettings = z.strictObject({ reassign: z.boolean().default(false) });

/** Plans the command for a message to an existing task: an answer to its question, or a review. */
export async function planAnswer(
  call: A2aCallContext,
  message: Message,
  bosunMetadata: JsonObject,
): Promise<MessageExecution> {
  const found = await findA2aTask(call, message.taskId);
  const { view } = found;
  const contextId = contextIdOf(view);
  if (message.contextId !== "" && message.contextId !== contextId) {
    const rule = `must be the task's contextId, ${contextId}, or be omitted`;
    throw invalidParam("message.contextId", rule);
  }
  return planCommand(call, view, answerCommandFor(found, message, bosunMetadata), view.run);
}

function answerCommandFor(
  { view, isOpen }: FoundA2aTask,
  message: Message,
  bosunMetadata: JsonObject,
): ClientCommand {
  const { status } = view.task;
  if (!isOpen) {
    // Only in the task's own context does a message retry it. In any other context, the message creates a task.
    const isRetried = status === "failed" && contextIdOf(view) === view.taskId;
    const purpose = isRetried ? "retry it" : "create a new task in its context";
    throw new UnsupportedOperationError(
      `A ${status} task no longer accepts messages. To ${purpose}, send a message with its contextId but without taskId.`,
    );
  }
  const parsed = parseMessage(message, bosunMetadata, answerSettings);
  if (status === "blocked") return respondCommand(parsed);
  if (status === "review")
    return reviewCommand(parsed, parsed.settings.decision ?? "request_changes");
  throw new UnsupportedOperationError(
    `The task is ${status}. It accepts messages only while it is waiting for an answer or a review, but you can cancel it.`,
  );
}

function respondCommand({ text, context }: ParsedMessage): ClientCommand {
  const isText = Object.keys(context).length === 0 && text.length <= COMMENT_CHARACTERS_MAX;
  if (isText && text === "") throw invalidParam("message.parts", "must contain text or data");
  const response = isText ? text : { ...(text === "" ? {} : { answer: text }), ...context };
  return { type: "respond", response };
}

function reviewCommand(
  { text }: ParsedMessage,
  decision: (typeof REVIEW_DECISIONS)[number],
): ClientCommand {
  if (text === "" && decision === "request_changes")
    throw invalidParam("message.parts", "must contain text that describes the requested changes");
  checkTextLength(text, COMMENT_CHARACTERS_MAX);
  return { type: "review", decision, comment: text === "" ? null : text };
}

/**
 * Plans a message to a task's own context. A failed task is retried, with the message's text as notes and its data as
 * context. A completed or cancelled task is followed by a new task in the same context.
 */
export async function planNextTask(
  call: A2aCallContext,
  message: Message,
  bosunMetadata: JsonObject,
): Promise<MessageExecution> {
  const taskId = message.contextId;
  const view = (await readVisibleViews(call, taskId)).at(-1);
  if (view === undefined || contextIdOf(view) !== taskId) {
    const rule = "must be the contextId of an existing task, or be omitted to start a new context";
    throw invalidParam("message.contextId", rule);
  }
  const { status } = view.task;
  if (status === "completed" || status === "cancelled")
    return planNewTask(call, message, bosunMetadata);
  if (status !== "failed") {
    throw new UnsupportedOperationError(
      `The task in this context has not ended: it is ${status}. To send it a message, include its taskId. To create a new task, omit contextId.`,
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
  return planCommand(call, view, command, view.run + 1);
}

function checkTextLength(text: string, charactersMax: number): void {
  if (text.length <= charactersMax) return;
  const rule = `must contain at most ${charactersMax} characters of text, got ${text.length}`;
  throw invalidParam("message.parts", rule);
}

/**
 * Plans a command that fails if the task has changed since its view was read. `run` is the task's run after the
 * command.
 */
function planCommand(
  { env, key }: A2aCallContext,
  { taskId, task }: A2aTaskView,
  command: ClientCommand,
  run: number,
): MessageExecution {
  const stub = orThrow(taskStub(env.TASKS, taskId));
  return async () => {
    const done = await stub.command(senderOf(key), command, [String(task.seq)]);
    if (done.ok) return ok({ taskId, run });
    const { failure } = done;
    if (failure.kind === "validation") {
      // The settings have already been validated, so any problem is in the parts.
      return fail(invalidParams(failure.problems.map(toPartsProblem)));
    }
    if (failure.kind !== "precondition_failed") return fail(toRequestError(failure));
    const message =
      "The task changed while the message was being processed. Read it with GetTask, then resend the message if needed.";
    return fail(new ServiceError("ABORTED", message));
  };
}
