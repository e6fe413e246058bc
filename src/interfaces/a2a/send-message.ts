import type { Message, SendMessageRequest, StreamResponse, Task } from "@a2a-js/sdk";
import type { JsonObject } from "../../kernel/json.ts";
import { reserveStream } from "../../keys/authenticate.ts";
import { sha256Hex } from "../../platform/crypto/hash.ts";
import { IdempotencyLock } from "../../platform/idempotency/idempotency-lock.ts";
import type { A2aCallContext } from "./call-context.ts";
import { ServiceError, invalidParam, orThrow } from "./errors.ts";
import { readBosunMetadata } from "./parse-message.ts";
import {
  type MessageExecution,
  messageIdReused,
  newTaskRefOf,
  planAnswer,
  planNewTask,
  planNextTask,
} from "./plan-message.ts";
import { checkPushLimit, checkPushUrl, savePushConfig } from "./push-notifications.ts";
import { type A2aTaskRef, formatA2aTaskId, parseA2aTaskId } from "./task-run.ts";
import { a2aStateOf, endsStream } from "./task-state.ts";
import { type FoundA2aTask, findA2aTask, readVisibleViews } from "./tasks.ts";
import { streamA2aTask, waitForTerminalOrInterrupted } from "./task-stream.ts";
import { buildA2aTask } from "./view.ts";

/**
 * SendMessage returns the task immediately, or waits until the task ends or needs input, but only up to the time limit.
 */
export async function sendMessage(call: A2aCallContext, params: SendMessageRequest): Promise<Task> {
  const { returnImmediately = false, historyLength = null } = params.configuration ?? {};
  // Check before writing anything, so that a rejected message has no effect.
  if (!returnImmediately) orThrow(reserveStream(call.key, call.signal));
  const found = await processMessage(call, params);
  const view = returnImmediately ? found.view : await waitForTerminalOrInterrupted(call, found);
  return buildA2aTask(call, view, historyLength);
}

/** SendStreamingMessage streams the task and its updates. */
export async function* streamMessage(
  call: A2aCallContext,
  params: SendMessageRequest,
): AsyncGenerator<StreamResponse, void, undefined> {
  orThrow(reserveStream(call.key, call.signal));
  const found = await processMessage(call, params);
  // If the message was sent before, the task may already be waiting for input, which ends the stream.
  const isOpen = found.isOpen && !endsStream(a2aStateOf(found.view.task));
  yield* streamA2aTask(call, { ...found, isOpen }, params.configuration?.historyLength ?? null);
}

async function processMessage(
  call: A2aCallContext,
  params: SendMessageRequest,
): Promise<FoundA2aTask> {
  const { message, configuration } = params;
  if (message === undefined) throw invalidParam("message", "is required: an object");
  const config = configuration?.taskPushNotificationConfig;
  if (config !== undefined) {
    const name = call.version === "0.3" ? "pushNotificationConfig" : "taskPushNotificationConfig";
    await checkPushUrl(call, config, `configuration.${name}.`);
    await checkPushLimit(call, config, () => findRepeatedTaskRef(call, message));
  }
  const ref = await executeMessage(call, message, params);
  if (config !== undefined) await savePushConfig(call, ref, config);
  return findA2aTask(call, formatA2aTaskId(ref));
}

/** The task that a message belongs to if it was sent before; null if it starts a new run. */
async function findRepeatedTaskRef(
  call: A2aCallContext,
  { messageId, taskId, contextId }: Message,
): Promise<A2aTaskRef | null> {
  if (taskId !== "") return parseA2aTaskId(taskId);
  // The message starts a new context, or the client chose its context id.
  if (parseA2aTaskId(contextId) === null) return newTaskRefOf(call, messageId);
  const view = (await readVisibleViews(call, contextId)).at(-1);
  if (view === undefined || view.task.status === "failed") return null;
  const { status } = view.task;
  if (status === "completed" || status === "cancelled") return newTaskRefOf(call, messageId);
  return view;
}

async function executeMessage(
  call: A2aCallContext,
  message: Message,
  params: SendMessageRequest,
): Promise<A2aTaskRef> {
  const bosunMetadata = readBosunMetadata(message, params);
  const { taskId, contextId } = message;
  // The id of a new task is derived from the message id, so a repeated message finds the task.
  if (taskId === "" && parseA2aTaskId(contextId) === null) {
    const created = await planNewTask(call, message, bosunMetadata)();
    if (created.ok) return created.value;
    throw created.failure;
  }
  const plan = taskId === "" ? planNextTask : planAnswer;
  return executeMessageOnce(call, message, bosunMetadata, () => plan(call, message, bosunMetadata));
}

/**
 * Executes a message once. A repeated message returns the same task. `plan` changes nothing, so a message can be resent
 * if `plan` fails.
 */
async function executeMessageOnce(
  call: A2aCallContext,
  message: Message,
  bosun: JsonObject,
  plan: () => Promise<MessageExecution>,
): Promise<A2aTaskRef> {
  const { env, key } = call;
  const lock = new IdempotencyLock(env.ONCE, key.id, `a2a:${message.messageId}`, call.waitUntil);
  // Hash the message before the SDK converts it. Stored fingerprints from earlier releases were computed this way.
  const content =
    call.params !== undefined && "message" in call.params ? call.params.message : null;
  const fingerprint = await sha256Hex(JSON.stringify([key.id, content, bosun]));
  const lockState = await lock.acquire(fingerprint);
  switch (lockState.kind) {
    case "free": {
      const done = await lock.run({
        prepare: plan,
        // An exception here would mean that the outcome is unknown.
        execute: async (execute) => execute(),
        serialize: (result) => (result.ok ? async () => formatA2aTaskId(result.value) : null),
      });
      if (done.ok) return done.value;
      throw done.failure;
    }
    case "answered": {
      const ref = parseA2aTaskId(lockState.answer);
      if (ref === null) throw new Error("The stored response to a message must be a task id");
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

const ORIGINAL_LOST =
  "The original response was lost. The message may or may not have been applied: check the task, then send the message with a new messageId if needed.";
