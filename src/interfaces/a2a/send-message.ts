import { Task } from "@a2a-js/sdk";
import type { JsonObject } from "../../kernel/json.ts";
import { fail, ok, type Result } from "../../kernel/result.ts";
import { reserveStream } from "../../keys/authenticate.ts";
import { createTaskFromMessage, newTaskRefOf } from "./create-task.ts";
import type { A2aCallContext } from "./call-context.ts";
import { toRequestFailure, type A2aRequestFailure } from "./failures.ts";
import { type A2aStream, streamA2aTask, waitForTerminalOrInterrupted } from "./task-stream.ts";
import { parseA2aTaskId, formatA2aTaskId, type A2aTaskRef } from "./task-run.ts";
import { findA2aTask, findLastRun, type FoundA2aTask } from "./tasks.ts";
import { readBosunMetadata } from "./parse-message.ts";
import { executeMessageOnce, planAnswer, planRetry } from "./task-commands.ts";
import { checkPushUrl, checkPushLimit, savePushConfig } from "./push-configs.ts";
import { buildA2aTask } from "./view.ts";
import { endsStream, a2aStateOf } from "./task-state.ts";
import type { SendMessageParams } from "./schemas.ts";

/** SendMessage: responds with the task, at once or as soon as it has ended or needs input. */
export async function handleSendMessage(
  call: A2aCallContext,
  params: SendMessageParams,
): Promise<Result<object, A2aRequestFailure>> {
  const { returnImmediately = false, historyLength = null } = params.configuration ?? {};
  // Check before writing anything, so that a rejected message has no effect.
  const slot = returnImmediately ? ok(null) : reserveStream(call.key, call.signal);
  if (!slot.ok) return fail(toRequestFailure(slot.failure));
  const found = await processMessage(call, params);
  if (!found.ok) return found;
  const view = returnImmediately
    ? found.value.view
    : await waitForTerminalOrInterrupted(call, found.value);
  const task = buildA2aTask(call, found.value.ref, view, historyLength);
  return ok({ task: Task.toJSON(task) });
}

/** SendStreamingMessage: streams the task and its updates. */
export async function handleSendStreamingMessage(
  call: A2aCallContext,
  params: SendMessageParams,
): Promise<Result<A2aStream, A2aRequestFailure>> {
  const slot = reserveStream(call.key, call.signal);
  if (!slot.ok) return fail(toRequestFailure(slot.failure));
  const found = await processMessage(call, params);
  if (!found.ok) return found;
  const { view } = found.value;
  // A repeated message may already have led to a question, which ends the stream.
  const whole = endsStream(a2aStateOf(view.task)) ? { ...found.value, isOpen: false } : found.value;
  return ok(streamA2aTask(call, whole, params.configuration?.historyLength ?? null));
}

/** Executes a message; returns its task. */
async function processMessage(
  call: A2aCallContext,
  params: SendMessageParams,
): Promise<Result<FoundA2aTask, A2aRequestFailure>> {
  const config = params.configuration?.taskPushNotificationConfig;
  const path = "configuration.taskPushNotificationConfig.";
  const checked = config === undefined ? ok(null) : await checkPushUrl(call, config, path);
  if (!checked.ok) return checked;
  const { message } = params;
  const counted =
    config === undefined
      ? ok(null)
      : await checkPushLimit(call, config, () => findRepeatedTaskRef(call, message));
  if (!counted.ok) return counted;
  const bosunMetadata = readBosunMetadata(params);
  const ref = bosunMetadata.ok
    ? await executeMessage(call, message, bosunMetadata.value)
    : bosunMetadata;
  if (!ref.ok) return ref;
  const opened = config === undefined ? ok(null) : await savePushConfig(call, ref.value, config);
  return opened.ok ? findA2aTask(call, formatA2aTaskId(ref.value)) : opened;
}

/** The task of a message if it was sent before; null if it starts a new run. */
async function findRepeatedTaskRef(
  call: A2aCallContext,
  { messageId, taskId = "", contextId = "" }: SendMessageParams["message"],
): Promise<A2aTaskRef | null> {
  if (taskId !== "") return parseA2aTaskId(taskId);
  if (contextId === "") return newTaskRefOf(call, messageId);
  const last = await findLastRun(call, contextId);
  return last.ok && last.value?.view.task.status !== "failed" ? (last.value?.ref ?? null) : null;
}

function executeMessage(
  call: A2aCallContext,
  message: SendMessageParams["message"],
  bosunMetadata: JsonObject,
): Promise<Result<A2aTaskRef, A2aRequestFailure>> {
  const { taskId = "", contextId = "" } = message;
  // The id of a new task is derived from the message id, so a repeated message finds the task.
  if (taskId === "" && contextId === "") return createTaskFromMessage(call, message, bosunMetadata);
  const plan = taskId === "" ? planRetry : planAnswer;
  return executeMessageOnce(call, message, bosunMetadata, () => plan(call, message, bosunMetadata));
}
