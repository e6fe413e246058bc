import type { Failure } from "../../kernel/failure.ts";
import type { JsonObject } from "../../kernel/json.ts";
import { TASK_CHARACTERS_MAX } from "../../tasks/limits.ts";
import { fail, ok, type Result } from "../../kernel/result.ts";
import { splitTaskText } from "../../tasks/model/task-input/split-task.ts";
import { createTask } from "../../tasks/api/create-task.ts";
import { newTaskStub } from "../../tasks/task.rpc.ts";
import { repeatableTaskBody } from "../../tasks/api/schemas.ts";
import type { A2aCallContext } from "./call-context.ts";
import { toRequestFailure, createInvalidParams, type A2aRequestFailure } from "./failures.ts";
import type { A2aTaskRef } from "./task-run.ts";
import { createMessageIdReused } from "./task-commands.ts";
import { parseMessage, SETTINGS_PATH, toPartsProblem } from "./parse-message.ts";
import type { A2aMessage } from "./schemas.ts";

/** The fields of `metadata.bosun` for a new task. */
const newTaskSettings = repeatableTaskBody.pick({
  agentId: true,
  teamId: true,
  priority: true,
  deadline: true,
  deliverables: true,
  budget: true,
});

/** Creates a task from a message, or finds the one that the same message has created before. */
export async function createTaskFromMessage(
  { env, key }: A2aCallContext,
  message: A2aMessage,
  bosunMetadata: JsonObject,
): Promise<Result<A2aTaskRef, A2aRequestFailure>> {
  const parsed = parseMessage(message, bosunMetadata, newTaskSettings);
  if (!parsed.ok) return parsed;
  const { text: messageText, context, settings } = parsed.value;
  if (messageText === "") {
    const rule = "must contain a text that describes the work";
    return fail(createInvalidParams([{ path: "message.parts", message: rule }]));
  }
  const divided = splitMessageText(messageText, context);
  if (!divided.ok) return divided;
  const { task, context: whole } = divided.value;
  const body = { ...settings, task, context: whole };
  const created = await createTask(env, key, body, idempotencyKeyOf(message.messageId));
  return created.ok
    ? ok({ taskId: created.value.id, run: 1 })
    : fail(toMessageFailure(created.failure));
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
): Result<{ task: string; context: JsonObject }, A2aRequestFailure> {
  if (messageText.length <= TASK_CHARACTERS_MAX) return ok({ task: messageText, context });
  const { instruction, input } = splitTaskText(messageText);
  const isShort = instruction !== "" && instruction.length <= TASK_CHARACTERS_MAX;
  if (isShort && input !== null && !Object.hasOwn(context, input.kind)) {
    return ok({ task: instruction, context: { ...context, [input.kind]: input.value } });
  }
  const task = truncateText(messageText);
  const whole = prependToContextText(messageText, context);
  return whole.ok ? ok({ task, context: whole.value }) : whole;
}

/** The context with the message text before its own text. */
function prependToContextText(
  messageText: string,
  context: JsonObject,
): Result<JsonObject, A2aRequestFailure> {
  const { text = "" } = context;
  if (typeof text === "string") {
    return ok({ ...context, text: text === "" ? messageText : `${messageText}\n\n${text}` });
  }
  const message = `contain a "text" that is not a string, and more than ${TASK_CHARACTERS_MAX} characters of message text, which would be added to it; send only one of them`;
  return fail(createInvalidParams([{ path: "message.parts", message }]));
}

/** The beginning of a long text, up to a gap between words. */
function truncateText(messageText: string): string {
  const head = messageText.slice(0, TASK_CHARACTERS_MAX);
  const gap = head.search(/\s\S*$/);
  // Surrogate pairs are not split.
  return (gap > 0 ? head.slice(0, gap) : head).replace(/[\ud800-\udbff]$/, "");
}

/** A failure of the task's creation with paths of the message. */
function toMessageFailure(failure: Failure): A2aRequestFailure {
  const requestFailure = toRequestFailure(failure);
  switch (failure.kind) {
    case "idempotency_key_reused":
      return createMessageIdReused();
    case "validation":
      return createInvalidParams(
        failure.problems.map((problem) =>
          // The context is from the parts, all other fields are from the settings.
          /^context\b/.test(problem.path)
            ? toPartsProblem(problem)
            : { ...problem, path: `${SETTINGS_PATH}.${problem.path}` },
        ),
      );
    case "not_found":
      return {
        ...requestFailure,
        problems: [{ path: `${SETTINGS_PATH}.${failure.what}Id`, message: requestFailure.message }],
      };
    default:
      return requestFailure;
  }
}
