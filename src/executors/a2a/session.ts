import type { Message, StreamResponse, Task } from "@a2a-js/sdk";
import type { Client, RequestOptions } from "@a2a-js/sdk/client";
import { A2A_FIRST_EVENT_TIMEOUT_MS, A2A_READ_TIMEOUT_MS, A2A_SEND_TIMEOUT_MS } from "./limits.ts";
import {
  createPermanentA2aFailure,
  createTransientA2aFailure,
  type A2aFailure,
} from "./failure.ts";
import type { A2aTransport } from "./transport.ts";
import type { ProgressWriter } from "./progress-writer.ts";
import { computePollDelayMs } from "./intervals.ts";
import type { RemoteTaskState } from "./remote-task-state.ts";

/** One turn's talk with an agent. */
export interface A2aSession {
  readonly client: Client;
  readonly transport: A2aTransport;
  readonly remoteTask: RemoteTaskState;
  readonly progressWriter: ProgressWriter;
  /** Ends the turn. */
  readonly signal: AbortSignal;
  /** When following ends, in milliseconds since 1970. */
  readonly endsAt: number;
  /** Writes down in the log what the agent now knows, as soon as it has answered. */
  readonly markDelivered: () => void;
  /** Streams have proved to be of no use for this task. */
  readonly disableStreaming: () => void;
}

/**
 * How far a talk has come: the agent waits or has ended (`settled`, as heard in a stream or seen by
 * looking at the whole task), it works on (`going`), or nobody waits for it any more (`stopped`).
 */
export type A2aSessionResult =
  | { readonly kind: "settled"; readonly by: "stream" | "look" }
  | { readonly kind: "going" | "stopped" }
  | { readonly kind: "fault"; readonly fault: A2aFailure };

/** An answer at once, without the words that were exchanged before. */
const SEND_CONFIGURATION = {
  acceptedOutputModes: [],
  taskPushNotificationConfig: undefined,
  historyLength: 0,
  returnImmediately: true,
};
const IN_PROGRESS: A2aSessionResult = { kind: "going" };
const STOPPED: A2aSessionResult = { kind: "stopped" };
/** Streams of one turn that break off; then the task is looked at instead. */
const STREAMS_MAX = 3;

/** Sends a message and hears what comes of it. */
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
    if (result.kind !== "fault") return result;
    if (result.fault.kind === "unsupported") session.disableStreaming();
    else if (remoteTask.taskId === null || result.fault.kind === "auth") return result;
    else return followRemoteTask(session, shouldRetryStream(session, result.fault));
  }
  session.transport.timeoutMs = A2A_SEND_TIMEOUT_MS;
  try {
    const answer = await client.sendMessage(request, { signal });
    remoteTask.apply({
      payload:
        "messageId" in answer
          ? { $case: "message", value: answer }
          : { $case: "task", value: answer },
    });
  } catch (error) {
    return toFailedResult(session, error);
  }
  if (remoteTask.taskId === null && remoteTask.reply === null) return unusableAnswer();
  if (remoteTask.taskId !== null) session.markDelivered();
  const ended = await recordProgress(session);
  return ended ?? followRemoteTask(session, false);
}

/** Follows a task that is known until it settles or the turn's window ends. */
export async function followRemoteTask(
  session: A2aSession,
  streams: boolean,
): Promise<A2aSessionResult> {
  const { remoteTask, client } = session;
  const id = remoteTask.taskId;
  if (id === null) return unusableAnswer();
  let isStreaming = streams;
  for (let stream = 0; isStreaming && stream < STREAMS_MAX; stream += 1) {
    const result = await readStream(
      session,
      (options) => client.resubscribeTask({ tenant: "", id }, options),
      A2A_FIRST_EVENT_TIMEOUT_MS,
    );
    if (result.kind !== "fault" || result.fault.kind === "auth") return result;
    isStreaming = shouldRetryStream(session, result.fault);
  }
  return pollRemoteTask(session, id);
}

/** Hears a stream: `firstWithinMs` until its first event, then until the window ends. */
async function readStream(
  session: A2aSession,
  open: (options: RequestOptions) => AsyncGenerator<StreamResponse, void, undefined>,
  firstWithinMs: number,
): Promise<A2aSessionResult> {
  const { transport, remoteTask, progressWriter, signal, endsAt } = session;
  const streamAbort = new AbortController();
  let hasBegun = false;
  let timer = setTimeout(() => streamAbort.abort(), firstWithinMs);
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
      // Nothing more is read: a read that waits would keep the stream from closing.
      streamAbort.abort();
      return continues ? { kind: "settled", by: "stream" } : STOPPED;
    }
  } catch (error) {
    if (!streamAbort.signal.aborted) return toFailedResult(session, error);
    return hasBegun ? IN_PROGRESS : failedResult(classifySilence(firstWithinMs));
  } finally {
    clearTimeout(timer);
  }
  return failedResult(
    createTransientA2aFailure("it ended its stream before the task came to an end."),
  );
}

function classifySilence(ms: number): A2aFailure {
  const reason = `its stream said nothing for ${Math.ceil(ms / 1_000)} seconds.`;
  return ms < A2A_SEND_TIMEOUT_MS
    ? createPermanentA2aFailure(reason)
    : createTransientA2aFailure(reason);
}

/** Looks at the task now and then. */
async function pollRemoteTask(session: A2aSession, id: string): Promise<A2aSessionResult> {
  const { progressWriter, signal, endsAt } = session;
  for (;;) {
    const seen = await fetchRemoteTask(session, id);
    if (seen !== null) return seen;
    const ended = await recordProgress(session);
    if (ended !== null) return ended;
    const now = Date.now();
    const pause = computePollDelayMs(now - progressWriter.checkpoint.since);
    if (now + pause > endsAt) return IN_PROGRESS;
    await sleep(pause, signal);
    if (signal.aborted) return IN_PROGRESS;
  }
}

/** One look at the task, whose answer is in the sight; what went wrong, or null. */
export async function fetchRemoteTask(
  session: A2aSession,
  id: string,
): Promise<A2aSessionResult | null> {
  const { client, transport, remoteTask, signal } = session;
  transport.timeoutMs = A2A_READ_TIMEOUT_MS;
  try {
    const task: Task = await client.getTask({ tenant: "", id, historyLength: 0 }, { signal });
    if (task.id !== id)
      return failedResult(
        createTransientA2aFailure("it answered with another task than was asked for."),
      );
    if (task.status === undefined) {
      return failedResult(createTransientA2aFailure("it answered with a task that has no status."));
    }
    remoteTask.apply({ payload: { $case: "task", value: task } });
    return null;
  } catch (error) {
    return toFailedResult(session, error);
  }
}

/** Whether what was heard ends the talk; null when there is more to hear. */
async function recordProgress({
  remoteTask,
  progressWriter,
}: A2aSession): Promise<A2aSessionResult | null> {
  if (!(await progressWriter.writeIfDue(remoteTask, Date.now()))) return STOPPED;
  return remoteTask.isSettled ? { kind: "settled", by: "look" } : null;
}

/** A stream that breaks off is taken up again; one that cannot be read, or is too long, never more. */
function shouldRetryStream(session: A2aSession, { kind }: A2aFailure): boolean {
  if (kind === "passing") return true;
  session.disableStreaming();
  return false;
}

function toFailedResult(
  { transport, signal, remoteTask }: A2aSession,
  error: unknown,
): A2aSessionResult {
  if (!signal.aborted) return failedResult(transport.classifyError(error));
  return remoteTask.taskId === null
    ? failedResult(createTransientA2aFailure("it did not answer before the turn was over."))
    : IN_PROGRESS;
}

function failedResult(fault: A2aFailure): A2aSessionResult {
  return { kind: "fault", fault };
}

function unusableAnswer(): A2aSessionResult {
  return failedResult(createPermanentA2aFailure("its answer is neither a task nor a message."));
}

function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    function end(): void {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
      resolve();
    }
    const timer = setTimeout(end, ms);
    signal.addEventListener("abort", end);
    if (signal.aborted) end();
  });
}
