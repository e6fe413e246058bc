import type { StreamResponse, SubscribeToTaskRequest } from "@a2a-js/sdk";
import { UnsupportedOperationError } from "@a2a-js/sdk/errors";
import { reserveStream } from "../../keys/authenticate.ts";
import { followTask } from "../../tasks/api/follow-task.ts";
import type { TaskEvent } from "../../tasks/model/events.ts";
import type { A2aCallContext } from "./call-context.ts";
import { orThrow } from "./errors.ts";
import { A2A_BLOCKING_SEND_MS } from "./limits.ts";
import { type A2aTaskView, foldEventIntoView } from "./task-run.ts";
import {
  a2aStateOf,
  endsStream,
  isTerminalOrInterrupted,
  isTerminalState,
  statusUpdateOf,
} from "./task-state.ts";
import { type FoundA2aTask, findA2aTask, readA2aTaskViews } from "./tasks.ts";
import { buildA2aTask, buildArtifacts, idsOf, toStatusUpdate } from "./view.ts";

/** An event, and the run after that event. */
export interface TaskViewUpdate {
  readonly event: TaskEvent;
  readonly view: A2aTaskView;
}

/** Yields a run's updates until the run ends or `followTask` stops. */
async function* followTaskView(
  call: A2aCallContext,
  { view: found, isOpen }: FoundA2aTask,
): AsyncGenerator<TaskViewUpdate, void, undefined> {
  if (!isOpen) return;
  const { taskId, run, task } = found;
  const following = await followTask(call.env, taskId, call.key, task.seq, call.signal);
  if (!following.ok) return;
  const readAt = async (seq: number): Promise<A2aTaskView | null> => {
    const views = await readA2aTaskViews(call, taskId, seq);
    return views.ok ? (views.value.find((view) => view.run === run) ?? null) : null;
  };
  yield* toViewUpdates(found, following.value.events, readAt);
}

/**
 * Yields a run's updates from later events. After a gap in the events, `readAt` reads the run as of the next event. If
 * the run is over or hidden at that event, `readAt` returns null, and the updates end.
 */
export async function* toViewUpdates(
  found: A2aTaskView,
  events: AsyncIterable<TaskEvent | null>,
  readAt: (seq: number) => Promise<A2aTaskView | null>,
): AsyncGenerator<TaskViewUpdate, void, undefined> {
  let view = found;
  for await (const event of events) {
    // Skip pings. The binding sends its own.
    if (event === null) continue;
    const isNext = event.seq === view.task.seq + 1;
    const next = isNext ? foldEventIntoView(view.taskId, view, event) : await readAt(event.seq);
    if (next === null) return;
    view = next;
    yield { event, view };
    if (isTerminalState(a2aStateOf(view.task))) return;
  }
}

/** Waits until a run ends or needs input. After a timeout, returns the run as it is. */
export async function waitForTerminalOrInterrupted(
  call: A2aCallContext,
  found: FoundA2aTask,
): Promise<A2aTaskView> {
  if (isTerminalOrInterrupted(a2aStateOf(found.view.task))) return found.view;
  const signal = AbortSignal.any([call.signal, AbortSignal.timeout(A2A_BLOCKING_SEND_MS)]);
  let { view } = found;
  for await (const update of followTaskView({ ...call, signal }, found)) {
    ({ view } = update);
    if (isTerminalOrInterrupted(a2aStateOf(view.task))) break;
  }
  return view;
}

/** The stream messages for an event. Artifacts come first, because a status can end the stream. */
function toStreamResponses(
  call: A2aCallContext,
  { event, view }: TaskViewUpdate,
): StreamResponse[] {
  const ids = idsOf(view);
  const hasOutcome = event.type === "submitted" || event.type === "completed";
  const artifacts = hasOutcome ? buildArtifacts(call, view) : [];
  return [
    ...artifacts.map((artifact): StreamResponse => ({
      payload: {
        $case: "artifactUpdate",
        value: { ...ids, artifact, append: false, lastChunk: true, metadata: undefined },
      },
    })),
    toStatusUpdate(view),
  ];
}

type A2aStream = AsyncGenerator<StreamResponse, void, undefined>;

/** SubscribeToTask streams an open task until it ends or next needs input. */
export async function* subscribeToTask(
  call: A2aCallContext,
  { id }: SubscribeToTaskRequest,
): A2aStream {
  const found = await findA2aTask(call, id);
  if (!found.isOpen) {
    throw new UnsupportedOperationError(
      `A ${found.view.task.status} task no longer changes. Read it with GetTask.`,
    );
  }
  orThrow(reserveStream(call.key, call.signal));
  yield* streamA2aTask(call, found, null);
}

/** Yields the current task, then its updates until it ends or needs input. */
export async function* streamA2aTask(
  call: A2aCallContext,
  found: FoundA2aTask,
  historyMax: number | null,
): A2aStream {
  yield { payload: { $case: "task", value: buildA2aTask(call, found.view, historyMax) } };
  for await (const update of followTaskView(call, found)) {
    // Skip events without a status update, so that an open question is not repeated.
    if (statusUpdateOf(update.event) === null) continue;
    yield* toStreamResponses(call, update);
    if (endsStream(a2aStateOf(update.view.task))) return;
  }
}
