import { Task } from "@a2a-js/sdk";
import { isJsonObject, type JsonObject } from "../../kernel/json.ts";
import { fail, ok, type Result } from "../../kernel/result.ts";
import { reserveStream } from "../../keys/admit-request.ts";
import { planAnswer, planRetry } from "./plan-command.ts";
import { createTaskFromMessage, newTaskRefOf } from "./create-task.ts";
import type { A2aCallContext } from "./call-context.ts";
import { toRequestFailure, createInvalidParams, type A2aRequestFailure } from "./failures.ts";
import {
  type A2aStreamFrames,
  streamA2aTask,
  waitForTerminalOrInterrupted,
} from "./task-stream.ts";
import { parseA2aTaskId, formatA2aTaskId, type A2aTaskRef } from "./task-run.ts";
import { findA2aTask, readA2aTaskViews, type FoundA2aTask } from "./tasks.ts";
import { executeMessageOnce } from "./idempotent-command.ts";
import { checkPushUrl, checkPushLimit, savePushConfig } from "./push-configs.ts";
import { buildA2aTask } from "./view.ts";
import { endsStream, a2aStateOf } from "./task-state.ts";
import type { SendMessageParams } from "./schemas.ts";

/** Takes a message in and answers with its task: at once, or as soon as it has ended or asks for something. */
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
  const task = await buildA2aTask(call, found.value.ref, view, historyLength);
  return ok({ task: Task.toJSON(task) });
}

/** The same as a stream: the task as it stands, and what becomes of it. */
export async function handleSendStreamingMessage(
  call: A2aCallContext,
  params: SendMessageParams,
): Promise<Result<A2aStreamFrames, A2aRequestFailure>> {
  const slot = reserveStream(call.key, call.signal);
  if (!slot.ok) return fail(toRequestFailure(slot.failure));
  const found = await processMessage(call, params);
  if (!found.ok) return found;
  const { view } = found.value;
  // A message that came before may have led to a question already: that is its end.
  const whole = endsStream(a2aStateOf(view.task)) ? { ...found.value, isLast: false } : found.value;
  return ok(streamA2aTask(call, whole, params.configuration?.historyLength ?? null));
}

/** The task that a message has made, or was for, once what it asks for is written down. */
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

/** The task to which a message belongs if it was sent before; null if it starts a new life. */
async function findRepeatedTaskRef(
  call: A2aCallContext,
  { messageId, taskId = "", contextId = "" }: SendMessageParams["message"],
): Promise<A2aTaskRef | null> {
  if (taskId !== "") return parseA2aTaskId(taskId);
  if (contextId === "") return newTaskRefOf(call, messageId);
  const views = await readA2aTaskViews(call.env, call.key, contextId);
  const last = views.ok ? views.value.at(-1) : undefined;
  if (last === undefined || last.task.status === "failed") return null;
  return { taskId: contextId, run: last.run };
}

function executeMessage(
  call: A2aCallContext,
  message: SendMessageParams["message"],
  bosunMetadata: JsonObject,
): Promise<Result<A2aTaskRef, A2aRequestFailure>> {
  const { taskId = "", contextId = "" } = message;
  // The id of a new task is made of the message's, which holds for as long as the task does.
  if (taskId === "" && contextId === "") return createTaskFromMessage(call, message, bosunMetadata);
  const work = taskId === "" ? planRetry : planAnswer;
  return executeMessageOnce(call, message, bosunMetadata, () => work(call, message, bosunMetadata));
}

/** What is said to Bosun alone, with the message or with the request. */
function readBosunMetadata({
  message,
  metadata,
}: SendMessageParams): Result<JsonObject, A2aRequestFailure> {
  const given = message.metadata?.["bosun"] ?? metadata?.["bosun"] ?? {};
  if (isJsonObject(given)) return ok(given);
  return fail(
    createInvalidParams([{ path: "message.metadata.bosun", message: "must be an object" }]),
  );
}
