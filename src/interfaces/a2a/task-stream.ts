import { StreamResponse } from "@a2a-js/sdk";
import { fail, ok, type Result } from "../../kernel/result.ts";
import { reserveStream } from "../../keys/admit-request.ts";
import type { A2aCallContext } from "./call-context.ts";
import { createRequestFailure, toRequestFailure, type A2aRequestFailure } from "./failures.ts";
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

/** An event, and the life that it has led to. */
export interface TaskViewUpdate {
  readonly event: TaskEvent;
  readonly view: A2aTaskView;
}

/** What becomes of a life from where it was found; ends with it, or as `followTask` does. Null is a ping. */
export async function* followTaskView(
  { env, key, signal }: A2aCallContext,
  { ref, view: found, isLast }: FoundA2aTask,
): AsyncGenerator<TaskViewUpdate | null, void, undefined> {
  if (!isLast || isTerminalState(a2aStateOf(found.task))) return;
  const following = await followTask(env, ref.taskId, key, found.task.seq, signal);
  if (!following.ok) return;
  const readAt = async (seq: number): Promise<A2aTaskView | null> => {
    const views = await readA2aTaskViews(env, key, ref.taskId, seq);
    return views.ok ? (views.value.find(({ run }) => run === ref.run) ?? null) : null;
  };
  yield* toViewUpdates(found, following.value.events, readAt);
}

/**
 * The steps of a life through later events. If events in between are missing, `readAt` reads the life as of an
 * event. It returns null if the life is over or hidden at that event; then the steps end.
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

/** A life as soon as it has ended or asks for something, or as it is when that takes too long. */
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

/** What a stream says of an event that has led to a life as it is: artifacts first, as a status may end it. */
export async function toStreamResponses(
  call: A2aCallContext,
  ref: A2aTaskRef,
  view: A2aTaskView,
  event: TaskEvent,
): Promise<StreamResponse[]> {
  if (statusUpdateOf(event) === null) return [];
  const ids = { taskId: formatA2aTaskId(ref), contextId: ref.taskId };
  const isHandedOver = event.type === "submitted" || event.type === "completed";
  const artifacts = isHandedOver ? await buildArtifacts(call, ref, view) : [];
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

/** Messages of a stream as the protocol writes them; null is a ping. */
export type A2aStreamFrames = AsyncGenerator<unknown, void, undefined>;

/** A task that is not over, as a stream; one that waits for somebody is watched until it waits again. */
export async function subscribeToTask(
  call: A2aCallContext,
  { id }: { readonly id: string },
): Promise<Result<A2aStreamFrames, A2aRequestFailure>> {
  const found = await findA2aTask(call, id);
  if (!found.ok) return found;
  const { view, isLast } = found.value;
  if (isLast && !isTerminalState(a2aStateOf(view.task))) {
    const slot = reserveStream(call.key, call.signal);
    return slot.ok
      ? ok(streamA2aTask(call, found.value, null))
      : fail(toRequestFailure(slot.failure));
  }
  const message = `A task that is ${view.task.status} never changes any more; read it with GetTask.`;
  return fail(createRequestFailure("unsupported_operation", message));
}

/** The task as it stands, then what becomes of it, until it is over or asks for something. */
export async function* streamA2aTask(
  call: A2aCallContext,
  found: FoundA2aTask,
  historyMax: number | null,
): A2aStreamFrames {
  const { ref } = found;
  const task = await buildA2aTask(call, ref, found.view, historyMax);
  yield StreamResponse.toJSON({ payload: { $case: "task", value: task } });
  for await (const update of followTaskView(call, found)) {
    if (update === null) {
      yield null;
      continue;
    }
    for (const response of await toStreamResponses(call, ref, update.view, update.event)) {
      yield StreamResponse.toJSON(response);
    }
    // A question that stays open through what is no news has not been asked again.
    if (statusUpdateOf(update.event) !== null && endsStream(a2aStateOf(update.view.task))) return;
  }
}
