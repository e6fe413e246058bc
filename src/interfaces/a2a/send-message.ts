import type { Message, SendMessageRequest, StreamResponse, Task } from "@a2a-js/sdk";
import { reserveStream } from "../../keys/authenticate.ts";
import { newTaskRefOf, planNewTask } from "./create-task.ts";
import { executeMessageOnce } from "./execute-once.ts";
import type { A2aCallContext } from "./call-context.ts";
import { invalidParam, orThrow } from "./errors.ts";
import { streamA2aTask, waitForTerminalOrInterrupted } from "./task-stream.ts";
import { type A2aTaskRef, formatA2aTaskId, parseA2aTaskId } from "./task-run.ts";
import { findA2aTask, type FoundA2aTask, readVisibleViews } from "./tasks.ts";
import { readBosunMetadata } from "./parse-message.ts";
import { planAnswer, planNextTask } from "./task-commands.ts";
import { checkPushUrl, checkPushLimit, savePushConfig } from "./push-configs.ts";
import { buildA2aTask } from "./view.ts";
import { endsStream, a2aStateOf } from "./task-state.ts";

/** SendMessage: responds with the task, at once or as soon as it has ended or needs input. */
export async function sendMessage(call: A2aCallContext, params: SendMessageRequest): Promise<Task> {
  const { returnImmediately = false, historyLength = null } = params.configuration ?? {};
  // Check before writing anything, so that a rejected message has no effect.
  if (!returnImmediately) orThrow(reserveStream(call.key, call.signal));
  const found = await processMessage(call, params);
  const view = returnImmediately ? found.view : await waitForTerminalOrInterrupted(call, found);
  return buildA2aTask(call, view, historyLength);
}

/** SendStreamingMessage: streams the task and its updates. */
export async function* streamMessage(
  call: A2aCallContext,
  params: SendMessageRequest,
): AsyncGenerator<StreamResponse, void, undefined> {
  orThrow(reserveStream(call.key, call.signal));
  const found = await processMessage(call, params);
  // A repeated message may already have led to a question, which ends the stream.
  const isOpen = found.isOpen && !endsStream(a2aStateOf(found.view.task));
  yield* streamA2aTask(call, { ...found, isOpen }, params.configuration?.historyLength ?? null);
}

/** Executes a message; returns its task. */
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

/** The task of a message if it was sent before; null if it starts a new run. */
async function findRepeatedTaskRef(
  call: A2aCallContext,
  { messageId, taskId, contextId }: Message,
): Promise<A2aTaskRef | null> {
  if (taskId !== "") return parseA2aTaskId(taskId);
  if (!isContextOfTask(contextId)) return newTaskRefOf(call, messageId);
  const view = (await readVisibleViews(call, contextId)).at(-1);
  if (view === undefined || view.task.status === "failed") return null;
  const { status } = view.task;
  if (status === "completed" || status === "cancelled") return newTaskRefOf(call, messageId);
  return view;
}

/** Whether a context id is the id of a task; any other is the client's own. */
function isContextOfTask(contextId: string): boolean {
  return parseA2aTaskId(contextId) !== null;
}

async function executeMessage(
  call: A2aCallContext,
  message: Message,
  params: SendMessageRequest,
): Promise<A2aTaskRef> {
  const bosunMetadata = readBosunMetadata(message, params);
  const { taskId, contextId } = message;
  // The id of a new task is derived from the message id, so a repeated message finds the task.
  if (taskId === "" && !isContextOfTask(contextId)) {
    const created = await planNewTask(call, message, bosunMetadata)();
    if (created.ok) return created.value;
    throw created.failure;
  }
  const plan = taskId === "" ? planNextTask : planAnswer;
  return executeMessageOnce(call, message, bosunMetadata, () => plan(call, message, bosunMetadata));
}
