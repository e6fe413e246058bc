import type { Message, StreamResponse, Task } from "@a2a-js/sdk";
import type { Client, RequestOptions } from "@a2a-js/sdk/client";
import { A2A_FIRST_EVENT_TIMEOUT_MS, A2A_READ_TIMEOUT_MS, A2A_SEND_TIMEOUT_MS } from "./limits.ts";
import { createA2aFailure, type A2aFailure } from "./failure.ts";
import type { A2aTransport } from "./transport.ts";
import type { ProgressWriter } from "./progress-writer.ts";
import { fail, ok, type Result } from "../../kernel/result.ts";
import { sleep } from "../../platform/promises.ts";
import { computePollDelayMs } from "./intervals.ts";
import type { RemoteTaskState } from "./remote-task-state.ts";

export interface A2aSession {
  readonly client: Client;
  readonly transport: A2aTransport;
  readonly remoteTask: RemoteTaskState;
  readonly progressWriter: ProgressWriter;
  readonly signal: AbortSignal;
  /** When the turn stops following the remote task, in milliseconds since 1970. */
  readonly endsAt: number;
  /** Records in the checkpoint that the agent has received the message. */
  readonly markDelivered: () => void;
  /** Records in the checkpoint that streams do not work for this task. */
  readonly disableStreaming: () => void;
}

/**
 * The result of sending a message or following a task. `working`: the agent is still working, or the attempt has ended.
 * `polled` and `streamed`: the agent is waiting for people or has finished its work. A poll has read the whole task,
 * but a stream may have missed parts of it.
 */
export type A2aSessionResult = Result<"working" | "polled" | "streamed", A2aFailure>;

/** Requests an immediate response without the message history. */
const SEND_CONFIGURATION = {
  acceptedOutputModes: [],
  taskPushNotificationConfig: undefined,
  historyLength: 0,
  returnImmediately: true,
};
const WORKING: A2aSessionResult = ok("working");
/** How many times `followRemoteTask` opens a stream before it polls instead. */
const STREAMS_MAX = 3;

export async function sendA2aMessage(
  session: A2aSession,
  message: Message,
  streams: boolean,
): Promise<A2aSessionResult> {
  const { client, signal, remoteTask } = session;
  const request = { tenant: "", message, configuration: SEND_CONFIGURATION, metadata: undefined };
  if (streams) {
    const result = await readStream(
      session,
      (options) => client.sendMessageStream(request, options),
      A2A_SEND_TIMEOUT_MS,
    );
    if (result.ok) return result;
    if (result.failure.kind === "unsupported") session.disableStreaming();
    else if (remoteTask.taskId === null || result.failure.kind === "unauthorized") return result;
    else return followRemoteTask(session, shouldRetryStream(session, result.failure));
  }
  session.transport.timeoutMs = A2A_SEND_TIMEOUT_MS;
  try {
    const value = await client.sendMessage(request, { signal });
    remoteTask.apply({
      payload: "messageId" in value ? { $case: "message", value } : { $case: "task", value },
    });
  } catch (error) {
    return toFailedResult(session, error);
  }
  if (remoteTask.taskId !== null) session.markDelivered();
  return (await recordProgress(session)) ?? followRemoteTask(session, false);
}

/** Follows a known task until it settles or the turn's time is up. */
export async function followRemoteTask(
  session: A2aSession,
  streams: boolean,
): Promise<A2aSessionResult> {
  const { remoteTask, client } = session;
  const id = remoteTask.taskId;
  if (id === null)
    return fail(createA2aFailure("permanent", "its response is neither a task nor a message."));
  let isStreaming = streams;
  for (let stream = 0; isStreaming && stream < STREAMS_MAX; stream += 1) {
    const result = await readStream(
      session,
      (options) => client.resubscribeTask({ tenant: "", id }, options),
      A2A_FIRST_EVENT_TIMEOUT_MS,
    );
    if (result.ok || result.failure.kind === "unauthorized") return result;
    isStreaming = shouldRetryStream(session, result.failure);
  }
  return pollRemoteTask(session, id);
}

/**
 * Reads a stream. Waits up to `firstEventTimeoutMs` for the first event, then reads until the task settles or the
 * turn's time is up.
 */
async function readStream(
  session: A2aSession,
  open: (options: RequestOptions) => AsyncGenerator<StreamResponse, void, undefined>,
  firstEventTimeoutMs: number,
): Promise<A2aSessionResult> {
  const { transport, remoteTask, progressWriter, signal, endsAt } = session;
  const streamAbort = new AbortController();
  let hasBegun = false;
  let timer = setTimeout(() => streamAbort.abort(), firstEventTimeoutMs);
  transport.timeoutMs = A2A_SEND_TIMEOUT_MS;
  try {
    for await (const event of open({ signal: AbortSignal.any([signal, streamAbort.signal]) })) {
      if (!hasBegun) {
        hasBegun = true;
        clearTimeout(timer);
        timer = setTimeout(() => streamAbort.abort(), Math.max(0, endsAt - Date.now()));
      }
      remoteTask.apply(event);
      if (remoteTask.taskId !== null) session.markDelivered();
      const continues = await progressWriter.writeIfDue(remoteTask, Date.now());
      if (continues && !remoteTask.isSettled) continue;
      // Otherwise, a pending read would keep the stream open.
      streamAbort.abort();
      return ok(continues ? "streamed" : "working");
    }
  } catch (error) {
    if (!streamAbort.signal.aborted) return toFailedResult(session, error);
    if (hasBegun) return WORKING;
    const kind = firstEventTimeoutMs < A2A_SEND_TIMEOUT_MS ? "permanent" : "transient";
    const seconds = Math.ceil(firstEventTimeoutMs / 1_000);
    return fail(createA2aFailure(kind, `its stream sent nothing for ${seconds} seconds.`));
  } finally {
    clearTimeout(timer);
  }
  return fail(createA2aFailure("transient", "it ended its stream before the task ended."));
}

async function pollRemoteTask(session: A2aSession, id: string): Promise<A2aSessionResult> {
  const { progressWriter, signal, endsAt } = session;
  for (;;) {
    const failedResult = await fetchRemoteTask(session, id);
    if (failedResult !== null) return failedResult;
    const ended = await recordProgress(session);
    if (ended !== null) return ended;
    const now = Date.now();
    const delayMs = computePollDelayMs(now - progressWriter.checkpoint.since);
    if (now + delayMs > endsAt) return WORKING;
    await sleep(delayMs, signal);
    if (signal.aborted) return WORKING;
  }
}

/**
 * Fetches the current task and applies it to `remoteTask`. Returns null, or the result of the session if the request
 * failed or was aborted.
 */
export async function fetchRemoteTask(
  session: A2aSession,
  id: string,
): Promise<A2aSessionResult | null> {
  const { client, transport, remoteTask, signal } = session;
  transport.timeoutMs = A2A_READ_TIMEOUT_MS;
  try {
    const task: Task = await client.getTask({ tenant: "", id, historyLength: 0 }, { signal });
    if (task.id !== id)
      return fail(
        createA2aFailure("transient", "it returned a task other than the requested one."),
      );
    if (task.status === undefined)
      return fail(createA2aFailure("transient", "it returned a task without a status."));
    remoteTask.apply({ payload: { $case: "task", value: task } });
    return null;
  } catch (error) {
    return toFailedResult(session, error);
  }
}

/** Reports progress. Returns null if the turn continues. */
async function recordProgress({
  remoteTask,
  progressWriter,
}: A2aSession): Promise<A2aSessionResult | null> {
  if (!(await progressWriter.writeIfDue(remoteTask, Date.now()))) return WORKING;
  return remoteTask.isSettled ? ok("polled") : null;
}

/** Whether to resume a stream. An interrupted stream is resumed; one that is unreadable or too long is not. */
function shouldRetryStream(session: A2aSession, { kind }: A2aFailure): boolean {
  if (kind === "transient") return true;
  session.disableStreaming();
  return false;
}

function toFailedResult(
  { transport, signal, remoteTask }: A2aSession,
  error: unknown,
): A2aSessionResult {
  if (!signal.aborted) return fail(transport.classifyError(error));
  if (remoteTask.taskId !== null) return WORKING;
  return fail(createA2aFailure("transient", "it did not respond before the turn timed out."));
}
