import type {
  CancelTaskRequest,
  GetTaskRequest,
  StreamResponse,
  SubscribeToTaskRequest,
  Task,
} from "@a2a-js/sdk";
import { TaskNotCancelableError, UnsupportedOperationError } from "@a2a-js/sdk/errors";
import type { Failure } from "../../kernel/failure.ts";
import { type Result, ok } from "../../kernel/result.ts";
import { reserveStream } from "../../keys/authenticate.ts";
import type { Key, Viewer } from "../../keys/model/key.ts";
import { followTask } from "../../tasks/api/follow-task.ts";
import type { TaskEvent } from "../../tasks/model/events.ts";
import { findFirstVisibleSeq } from "../../tasks/model/visibility.ts";
import { taskStub } from "../../tasks/task.rpc.ts";
import type { A2aCallContext } from "./call-context.ts";
import { orThrow, toRequestError } from "./errors.ts";
import { A2A_BLOCKING_SEND_MS, A2A_EVENTS_PAGE_MAX } from "./limits.ts";
import {
  type A2aTaskRef,
  type A2aTaskView,
  a2aStateOf,
  endsStream,
  foldEventIntoView,
  foldEventsIntoViews,
  isTerminalOrInterrupted,
  isTerminalState,
  parseA2aTaskId,
  statusUpdateOf,
} from "./task-run.ts";
import { buildA2aTask, buildArtifacts, idsOf, toStatusUpdate } from "./view.ts";

/**
 * The runs of a task, oldest first, now or as of an event; fails like a read of the task. Outdated progress events are
 * left out, so that a long log is read in one call.
 */
export async function readA2aTaskViews(
  { env, key }: { readonly env: Pick<Env, "TASKS">; readonly key: Key },
  taskId: string,
  until = Infinity,
): Promise<Result<A2aTaskView[], Failure>> {
  const stub = taskStub(env.TASKS, taskId);
  if (!stub.ok) return stub;
  const views: A2aTaskView[] = [];
  for (let after = 0; ;) {
    const wanted = { after, limit: A2A_EVENTS_PAGE_MAX, summaryUpTo: until };
    const page = await stub.value.events(key, wanted);
    if (!page.ok) return page;
    const { events, more } = page.value;
    foldEventsIntoViews(taskId, views, events);
    after = events.at(-1)?.seq ?? after;
    if (!more || events.length === 0) return ok(visibleViews(key, views));
  }
}

/**
 * The runs that a key may see. For a key bound to an agent, other agents' runs do not exist; of a run that
 * another agent has started, it sees only the messages of people.
 */
function visibleViews(viewer: Viewer, views: readonly A2aTaskView[]): A2aTaskView[] {
  const last = views.at(-1);
  const first = last === undefined ? 0 : findFirstVisibleSeq(viewer, last.task);
  return views
    .filter(({ task }) => task.seq >= first)
    .map(({ lastUpdate, history, ...view }) => ({
      ...view,
      lastUpdate: lastUpdate.seq < first ? { ...lastUpdate, text: null } : lastUpdate,
      history: history.filter(({ seq, role }) => role === "user" || seq >= first),
    }));
}

/** A run of a task. `isOpen`: it is the last run and has not ended, so that it can change. */
export interface FoundA2aTask {
  readonly view: A2aTaskView;
  readonly isOpen: boolean;
}

/** The task of an id of A2A, if the key may see it. */
export async function findA2aTask(call: A2aCallContext, id: string): Promise<FoundA2aTask> {
  const ref = parseA2aTaskId(id);
  const found = ref === null ? null : await lookUpA2aTask(call, ref);
  if (found === null) throw toRequestError({ kind: "not_found", what: "task", id });
  return found;
}

/** A run, if it exists and the key may see it; otherwise null. */
export async function lookUpA2aTask(
  call: A2aCallContext,
  ref: A2aTaskRef,
): Promise<FoundA2aTask | null> {
  const views = await readVisibleViews(call, ref.taskId);
  const view = views.find(({ run }) => run === ref.run);
  if (view === undefined) return null;
  return { view, isOpen: view === views.at(-1) && !isTerminalState(a2aStateOf(view.task)) };
}

/** The runs of a task, oldest first; empty if the key sees none. */
export async function readVisibleViews(
  call: A2aCallContext,
  taskId: string,
): Promise<A2aTaskView[]> {
  const views = await readA2aTaskViews(call, taskId);
  return !views.ok && views.failure.kind === "not_found" ? [] : orThrow(views);
}

export async function getA2aTask(
  call: A2aCallContext,
  { id, historyLength }: Pick<GetTaskRequest, "id" | "historyLength">,
): Promise<Task> {
  const { view } = await findA2aTask(call, id);
  return buildA2aTask(call, view, historyLength ?? null);
}

export async function cancelA2aTask(
  call: A2aCallContext,
  { id }: Pick<CancelTaskRequest, "id">,
): Promise<Task> {
  const { view, isOpen } = await findA2aTask(call, id);
  if (!isOpen) {
    throw new TaskNotCancelableError(`A task that is ${view.task.status} cannot be cancelled.`);
  }
  const stub = orThrow(taskStub(call.env.TASKS, view.taskId));
  const result = await stub.command(call.key, { type: "cancel", reason: null });
  // Another request has ended the task.
  if (!result.ok && result.failure.kind === "invalid_state") {
    throw new TaskNotCancelableError(toRequestError(result.failure).message);
  }
  orThrow(result);
  return getA2aTask(call, { id });
}

/** An event and the run after it. */
export interface TaskViewUpdate {
  readonly event: TaskEvent;
  readonly view: A2aTaskView;
}

/** The updates of a run; ends with the run, or as `followTask` does. */
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
 * The updates of a run from later events. If events in between are missing, `readAt` reads the run as of an
 * event. It returns null if the run is over or hidden at that event; then the updates end.
 */
export async function* toViewUpdates(
  found: A2aTaskView,
  events: AsyncIterable<TaskEvent | null>,
  readAt: (seq: number) => Promise<A2aTaskView | null>,
): AsyncGenerator<TaskViewUpdate, void, undefined> {
  let view = found;
  for await (const event of events) {
    // The binding sends pings.
    if (event === null) continue;
    const isNext = event.seq === view.task.seq + 1;
    const next = isNext ? foldEventIntoView(view.taskId, view, event) : await readAt(event.seq);
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
    ({ view } = update);
    if (isTerminalOrInterrupted(a2aStateOf(view.task))) break;
  }
  return view;
}

/** The messages of a stream for an event: artifacts first, because a status may end the stream. */
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

/** SubscribeToTask: streams a task that has not ended until it ends or needs input again. */
export async function* subscribeToTask(
  call: A2aCallContext,
  { id }: SubscribeToTaskRequest,
): A2aStream {
  const found = await findA2aTask(call, id);
  if (!found.isOpen) {
    throw new UnsupportedOperationError(
      `A task that is ${found.view.task.status} no longer changes; read it with GetTask.`,
    );
  }
  orThrow(reserveStream(call.key, call.signal));
  yield* streamA2aTask(call, found, null);
}

/** The current task, then its updates until it ends or needs input. */
export async function* streamA2aTask(
  call: A2aCallContext,
  found: FoundA2aTask,
  historyMax: number | null,
): A2aStream {
  yield { payload: { $case: "task", value: buildA2aTask(call, found.view, historyMax) } };
  for await (const update of followTaskView(call, found)) {
    // An event without a status update does not repeat an open question.
    if (statusUpdateOf(update.event) === null) continue;
    yield* toStreamResponses(call, update);
    if (endsStream(a2aStateOf(update.view.task))) return;
  }
}
