import { StreamResponse } from "@a2a-js/sdk";
import { fail, ok, type Result } from "../../kernel/result.ts";
import { reserveStream } from "../../keys/authenticate.ts";
import type { A2aCallContext } from "./call-context.ts";
import { toRequestFailure, type A2aRequestFailure } from "./failures.ts";
import { findA2aTask, type FoundA2aTask, readA2aTaskViews } from "./tasks.ts";
import { buildA2aTask, buildArtifacts, toA2aMetadata, toA2aStatus } from "./view.ts";
import {
  a2aStateOf,
  endsStream,
  isTerminalOrInterrupted,
  isTerminalState,
  statusUpdateOf,
} from "./task-state.ts";
import type { TaskEvent } from "../../tasks/model/events.ts";
import {
  type A2aTaskRef,
  type A2aTaskView,
  foldEventIntoView,
  formatA2aTaskId,
} from "./task-run.ts";
import { A2A_BLOCKING_SEND_MS } from "./limits.ts";
import { followTask } from "../../tasks/api/follow-task.ts";

/** An event and the run after it. */
export interface TaskViewUpdate {
  readonly event: TaskEvent;
  readonly view: A2aTaskView;
}

/** The updates of a run; ends with the run, or as `followTask` does. Null is a ping. */
async function* followTaskView(
  { env, key, signal }: A2aCallContext,
  { ref, view: found, isOpen }: FoundA2aTask,
): AsyncGenerator<TaskViewUpdate | null, void, undefined> {
  if (!isOpen) return;
  const following = await followTask(env, ref.taskId, key, found.task.seq, signal);
  if (!following.ok) return;
  const readAt = async (seq: number): Promise<A2aTaskView | null> => {
    const views = await readA2aTaskViews(env, key, ref.taskId, seq);
    return views.ok ? (views.value.find(({ run }) => run === ref.run) ?? null) : null;
  };
  yield* toViewUpdates(found, following.value.events, readAt);
}

/**
 * The updates of a run from later events. If events in between are missing, `readAt` reads the run as of an
 * event. It returns null if the run is over or hidden at that event; then the updates end.
 */
export async function* toViewUpdates(
  found: A2aTaskView,
  events: AsyncIterable<TaskEvent | null>,
  readAt: (seq: number) => Promise<A2aTaskView | null>,
): AsyncGenerator<TaskViewUpdate | null, void, undefined> {
  let view = found;
  for await (const event of events) {
    if (event === null) {
      yield null;
      continue;
    }
    const isNext = event.seq === view.task.seq + 1;
    const next = isNext ? foldEventIntoView(view, event) : await readAt(event.seq);
    if (next === null) return;
    view = next;
    yield { event, view };
    if (isTerminalState(a2aStateOf(view.task))) return;
  }
}

/** Waits until a run has ended or needs input; returns its current state after a timeout. */
export async function waitForTerminalOrInterrupted(
  call: A2aCallContext,
  found: FoundA2aTask,
): Promise<A2aTaskView> {
  if (isTerminalOrInterrupted(a2aStateOf(found.view.task))) return found.view;
  const signal = AbortSignal.any([call.signal, AbortSignal.timeout(A2A_BLOCKING_SEND_MS)]);
  let { view } = found;
  for await (const update of followTaskView({ ...call, signal }, found)) {
    if (update === null) continue;
    ({ view } = update);
    if (isTerminalOrInterrupted(a2aStateOf(view.task))) break;
  }
  return view;
}

/** The messages of a stream for an event: artifacts first, because a status may end the stream. */
function toStreamResponses(
  call: A2aCallContext,
  ref: A2aTaskRef,
  view: A2aTaskView,
  event: TaskEvent,
): StreamResponse[] {
  if (statusUpdateOf(event) === null) return [];
  const ids = { taskId: formatA2aTaskId(ref), contextId: ref.taskId };
  const hasOutcome = event.type === "submitted" || event.type === "completed";
  const artifacts = hasOutcome ? buildArtifacts(call, ref, view) : [];
  return [
    ...artifacts.map((artifact): StreamResponse => ({
      payload: {
        $case: "artifactUpdate",
        value: { ...ids, artifact, append: false, lastChunk: true, metadata: undefined },
      },
    })),
    {
      payload: {
        $case: "statusUpdate",
        value: { ...ids, status: toA2aStatus(ref, view), metadata: toA2aMetadata(ref, view) },
      },
    },
  ];
}

/** The messages of a stream in JSON; null is a ping. */
export type A2aStream = AsyncGenerator<unknown, void, undefined>;

/** SubscribeToTask: streams a task that has not ended until it ends or needs input again. */
export async function subscribeToTask(
  call: A2aCallContext,
  { id }: { readonly id: string },
): Promise<Result<A2aStream, A2aRequestFailure>> {
  const found = await findA2aTask(call, id);
  if (!found.ok) return found;
  const { view, isOpen } = found.value;
  if (isOpen) {
    const slot = reserveStream(call.key, call.signal);
    return slot.ok
      ? ok(streamA2aTask(call, found.value, null))
      : fail(toRequestFailure(slot.failure));
  }
  const message = `A task that is ${view.task.status} no longer changes; read it with GetTask.`;
  return fail({ name: "unsupported_operation", message });
}

/** The current task, then its updates until it ends or needs input. */
export async function* streamA2aTask(
  call: A2aCallContext,
  found: FoundA2aTask,
  historyMax: number | null,
): A2aStream {
  const { ref } = found;
  const task = buildA2aTask(call, ref, found.view, historyMax);
  yield StreamResponse.toJSON({ payload: { $case: "task", value: task } });
  for await (const update of followTaskView(call, found)) {
    if (update === null) {
      yield null;
      continue;
    }
    for (const response of toStreamResponses(call, ref, update.view, update.event)) {
      yield StreamResponse.toJSON(response);
    }
    // An event without a status update does not repeat an open question.
    if (statusUpdateOf(update.event) !== null && endsStream(a2aStateOf(update.view.task))) return;
  }
}
