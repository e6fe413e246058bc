import type { Failure } from "../../kernel/failure.ts";
import type { JsonObject } from "../../kernel/json.ts";
import { TASK_CHARACTERS_MAX } from "../../tasks/limits.ts";
import type { Message } from "@a2a-js/sdk";
import { splitTaskText } from "../../tasks/model/task-input/split-task.ts";
import { createTask } from "../../tasks/api/create-task.ts";
import { newTaskStub } from "../../tasks/task.rpc.ts";
import { repeatableTaskBody } from "../../tasks/api/schemas.ts";
import type { A2aCallContext } from "./call-context.ts";
import {
  invalidParam,
  invalidParams,
  type RequestError,
  ServiceError,
  toRequestError,
} from "./errors.ts";
import type { A2aTaskRef } from "./task-run.ts";
import { fail, ok } from "../../kernel/result.ts";
import { type MessageExecution, messageIdReused } from "./execute-once.ts";
import { parseMessage, SETTINGS_PATH, toPartsProblem } from "./parse-message.ts";

/** The fields of `metadata.bosun` for a new task. */
const newTaskSettings = repeatableTaskBody.pick({
  agentId: true,
  teamId: true,
  priority: true,
  deadline: true,
  deliverables: true,
  budget: true,
});

/** Checks a message for a new task; the result creates the task, or finds the one that the message created before. */
export function planNewTask(
  { env, key }: A2aCallContext,
  message: Message,
  bosunMetadata: JsonObject,
): MessageExecution {
  const parsed = parseMessage(message, bosunMetadata, newTaskSettings);
  const { text: messageText, context, settings } = parsed;
  if (messageText === "") {
    throw invalidParam("message.parts", "must contain a text that describes the work");
  }
  const body = { ...settings, ...splitMessageText(messageText, context) };
  const contextId = message.contextId === "" ? null : message.contextId;
  const idempotencyKey = idempotencyKeyOf(message.messageId);
  return async () => {
    const created = await createTask(env, key, body, idempotencyKey, contextId);
    return created.ok
      ? ok({ taskId: created.value.id, run: 1 })
      : fail(toMessageError(created.failure));
  };
}

function idempotencyKeyOf(messageId: string): string {
  return `a2a:${messageId}`;
}

/** The id of the task that a message creates, whether or not the task exists. */
export function newTaskRefOf({ env, key }: A2aCallContext, messageId: string): A2aTaskRef {
  const idempotency = { keyId: key.id, key: idempotencyKeyOf(messageId) };
  return { taskId: newTaskStub(env.TASKS, idempotency).id, run: 1 };
}

/**
 * Uses the message text as the task's description. If it is too long, its input goes into the context; if no
 * input is recognized, the whole text goes there, so that the agent also reads the beginning.
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

/** The context with the message text before its own text. */
function prependToContextText(messageText: string, context: JsonObject): JsonObject {
  const { text = "" } = context;
  if (typeof text === "string") {
    return { ...context, text: text === "" ? messageText : `${messageText}\n\n${text}` };
  }
  const message = `contain a "text" that is not a string, and more than ${TASK_CHARACTERS_MAX} characters of message text, which would be added to it; send only one of them`;
  throw invalidParam("message.parts", message);
}

/** The beginning of a long text, up to a gap between words. */
function truncateText(messageText: string): string {
  const head = messageText.slice(0, TASK_CHARACTERS_MAX);
  const gap = head.search(/\s\S*$/);
  // Surrogate pairs are not split.
  return (gap > 0 ? head.slice(0, gap) : head).replace(/[\ud800-\udbff]$/, "");
}

/** A failure of the task's creation with paths of the message. */
function toMessageError(failure: Failure): RequestError {
  const error = toRequestError(failure);
  switch (failure.kind) {
    case "idempotency_key_reused":
      return messageIdReused();
    case "validation":
      return invalidParams(
        failure.problems.map((problem) =>
          // The context is from the parts, all other fields are from the settings.
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
