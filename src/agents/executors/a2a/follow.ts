import type { Message, StreamResponse, Task } from "@a2a-js/sdk";
import type { Client, RequestOptions } from "@a2a-js/sdk/client";
import {
  A2A_FIRST_EVENT_MS,
  A2A_READ_TIMEOUT_MS,
  A2A_SEND_TIMEOUT_MS,
} from "../../../domain/limits.ts";
import { lasting, passing, type Fault } from "./fault.ts";
import type { Line } from "./line.ts";
import type { Logbook } from "./logbook.ts";
import { pauseMs } from "./pace.ts";
import type { Sight } from "./sight.ts";

/** One turn's talk with an agent. */
export interface Talk {
  readonly client: Client;
  readonly line: Line;
  readonly sight: Sight;
  readonly log: Logbook;
  /** Ends the turn. */
  readonly signal: AbortSignal;
  /** When following ends, in milliseconds since 1970. */
  readonly endsAt: number;
  /** Writes down in the log what the agent now knows, as soon as it has answered. */
  readonly arrived: () => void;
  /** Streams have proved to be of no use for this task. */
  readonly giveUpStreams: () => void;
}

/**
 * How far a talk has come: the agent waits or has ended (`settled`, as heard in a stream or seen by
 * looking at the whole task), it works on (`going`), or nobody waits for it any more (`stopped`).
 */
export type Heard =
  | { readonly kind: "settled"; readonly by: "stream" | "look" }
  | { readonly kind: "going" | "stopped" }
  | { readonly kind: "fault"; readonly fault: Fault };

/** An answer at once, without the words that were exchanged before. */
const CONFIGURATION = {
  acceptedOutputModes: [],
  taskPushNotificationConfig: undefined,
  historyLength: 0,
  returnImmediately: true,
};
const GOING: Heard = { kind: "going" };
const STOPPED: Heard = { kind: "stopped" };
/** Streams of one turn that break off; then the task is looked at instead. */
const STREAMS_MAX = 3;

/** Sends a message and hears what comes of it. */
export async function send(talk: Talk, message: Message, streams: boolean): Promise<Heard> {
  const { client, signal, sight } = talk;
  const request = { tenant: "", message, configuration: CONFIGURATION, metadata: undefined };
  if (streams) {
    const heard = await listen(
      talk,
      (options) => client.sendMessageStream(request, options),
      A2A_SEND_TIMEOUT_MS,
    );
    if (heard.kind !== "fault") return heard;
    if (heard.fault.kind === "unsupported") talk.giveUpStreams();
    else if (sight.taskId === null || heard.fault.kind === "auth") return heard;
    else return follow(talk, worthStreaming(talk, heard.fault));
  }
  talk.line.timeoutMs = A2A_SEND_TIMEOUT_MS;
  try {
    const answer = await client.sendMessage(request, { signal });
    sight.hear({
      payload:
        "messageId" in answer
          ? { $case: "message", value: answer }
          : { $case: "task", value: answer },
    });
  } catch (error) {
    return faulty(talk, error);
  }
  if (sight.taskId === null && sight.reply === null) return nothingUsable();
  if (sight.taskId !== null) talk.arrived();
  const known = await heardSoFar(talk);
  return known ?? follow(talk, false);
}

/** Follows a task that is known until it settles or the turn's window ends. */
export async function follow(talk: Talk, streams: boolean): Promise<Heard> {
  const { sight, client } = talk;
  const id = sight.taskId;
  if (id === null) return nothingUsable();
  let isWorth = streams;
  for (let stream = 0; isWorth && stream < STREAMS_MAX; stream += 1) {
    const heard = await listen(
      talk,
      (options) => client.resubscribeTask({ tenant: "", id }, options),
      A2A_FIRST_EVENT_MS,
    );
    if (heard.kind !== "fault" || heard.fault.kind === "auth") return heard;
    isWorth = worthStreaming(talk, heard.fault);
  }
  return look(talk, id);
}

/** Hears a stream: `firstWithinMs` until its first event, then until the window ends. */
async function listen(
  talk: Talk,
  open: (options: RequestOptions) => AsyncGenerator<StreamResponse, void, undefined>,
  firstWithinMs: number,
): Promise<Heard> {
  const { line, sight, log, signal, endsAt } = talk;
  const over = new AbortController();
  let hasBegun = false;
  let timer = setTimeout(() => over.abort(), firstWithinMs);
  line.timeoutMs = A2A_SEND_TIMEOUT_MS;
  try {
    for await (const event of open({ signal: AbortSignal.any([signal, over.signal]) })) {
      if (!hasBegun) {
        hasBegun = true;
        clearTimeout(timer);
        timer = setTimeout(() => over.abort(), Math.max(0, endsAt - Date.now()));
      }
      sight.hear(event);
      if (sight.taskId !== null) talk.arrived();
      const goesOn = await log.note(sight, Date.now());
      if (goesOn && !sight.isSettled) continue;
      // Nothing more is read: a read that waits would keep the stream from closing.
      over.abort();
      return goesOn ? { kind: "settled", by: "stream" } : STOPPED;
    }
  } catch (error) {
    if (!over.signal.aborted) return faulty(talk, error);
    return hasBegun ? GOING : faultOf(silence(firstWithinMs));
  } finally {
    clearTimeout(timer);
  }
  return faultOf(passing("it ended its stream before the task came to an end."));
}

function silence(ms: number): Fault {
  const reason = `its stream said nothing for ${Math.ceil(ms / 1_000)} seconds.`;
  return ms < A2A_SEND_TIMEOUT_MS ? lasting(reason) : passing(reason);
}

/** Looks at the task now and then. */
async function look(talk: Talk, id: string): Promise<Heard> {
  const { log, signal, endsAt } = talk;
  for (;;) {
    const seen = await lookOnce(talk, id);
    if (seen !== null) return seen;
    const known = await heardSoFar(talk);
    if (known !== null) return known;
    const now = Date.now();
    const pause = pauseMs(now - log.held.since);
    if (now + pause > endsAt) return GOING;
    await rest(pause, signal);
    if (signal.aborted) return GOING;
  }
}

/** One look at the task, whose answer is in the sight; what went wrong, or null. */
export async function lookOnce(talk: Talk, id: string): Promise<Heard | null> {
  const { client, line, sight, signal } = talk;
  line.timeoutMs = A2A_READ_TIMEOUT_MS;
  try {
    const task: Task = await client.getTask({ tenant: "", id, historyLength: 0 }, { signal });
    if (task.id !== id)
      return faultOf(passing("it answered with another task than was asked for."));
    if (task.status === undefined) {
      return faultOf(passing("it answered with a task that has no status."));
    }
    sight.hear({ payload: { $case: "task", value: task } });
    return null;
  } catch (error) {
    return faulty(talk, error);
  }
}

/** Whether what was heard ends the talk; null when there is more to hear. */
async function heardSoFar({ sight, log }: Talk): Promise<Heard | null> {
  if (!(await log.note(sight, Date.now()))) return STOPPED;
  return sight.isSettled ? { kind: "settled", by: "look" } : null;
}

/** A stream that breaks off is taken up again; one that cannot be read, or is too long, never more. */
function worthStreaming(talk: Talk, { kind }: Fault): boolean {
  if (kind === "passing") return true;
  talk.giveUpStreams();
  return false;
}

function faulty({ line, signal, sight }: Talk, error: unknown): Heard {
  if (!signal.aborted) return faultOf(line.faultOf(error));
  return sight.taskId === null
    ? faultOf(passing("it did not answer before the turn was over."))
    : GOING;
}

function faultOf(fault: Fault): Heard {
  return { kind: "fault", fault };
}

function nothingUsable(): Heard {
  return faultOf(lasting("its answer is neither a task nor a message."));
}

function rest(ms: number, signal: AbortSignal): Promise<void> {
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
