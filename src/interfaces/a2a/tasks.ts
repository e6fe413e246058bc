import type { CancelTaskRequest, GetTaskRequest, Task } from "@a2a-js/sdk";
import { TaskNotCancelableError } from "@a2a-js/sdk/errors";
import type { Failure } from "../../kernel/failure.ts";
import { type Result, ok } from "../../kernel/result.ts";
import type { Viewer } from "../../keys/model/key.ts";
import { senderOf } from "../../tasks/model/author.ts";
import { findFirstVisibleSeq } from "../../tasks/model/visibility.ts";
import { taskStub } from "../../tasks/task.rpc.ts";
import type { A2aCallContext } from "./call-context.ts";
import { orThrow, toRequestError } from "./errors.ts";
import { A2A_EVENTS_PAGE_MAX } from "./limits.ts";
import {
  type A2aTaskRef,
  type A2aTaskView,
  foldEventsIntoViews,
  parseA2aTaskId,
} from "./task-run.ts";
import { a2aStateOf, isTerminalState } from "./task-state.ts";
import { buildA2aTask } from "./view.ts";

/**
 * A task's runs, oldest first, now or as of an event. Fails if the task cannot be read. Outdated progress events are
 * omitted, so that even a long log needs few reads.
 */
export async function readA2aTaskViews(
  { env, key }: { readonly env: Pick<Env, "TASKS">; readonly key: Viewer },
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
 * The runs that a key may see. A key bound to an agent does not see other agents' runs. If another agent started a run,
 * the key sees only user messages from before its own agent took over.
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

/** A run of a task. `isOpen` means that it is the last run and has not ended, so it can still change. */
export interface FoundA2aTask {
  readonly view: A2aTaskView;
  readonly isOpen: boolean;
}

/** Finds the run with an A2A task id. Throws if the run does not exist or the key may not see it. */
export async function findA2aTask(call: A2aCallContext, id: string): Promise<FoundA2aTask> {
  const ref = parseA2aTaskId(id);
  const found = ref === null ? null : await lookUpA2aTask(call, ref);
  if (found === null) throw toRequestError({ kind: "not_found", what: "task", id });
  return found;
}

/** Finds a run; null if it does not exist or the key may not see it. */
export async function lookUpA2aTask(
  call: A2aCallContext,
  ref: A2aTaskRef,
): Promise<FoundA2aTask | null> {
  const views = await readVisibleViews(call, ref.taskId);
  const view = views.find(({ run }) => run === ref.run);
  if (view === undefined) return null;
  return { view, isOpen: view === views.at(-1) && !isTerminalState(a2aStateOf(view.task)) };
}

/** A task's runs, oldest first; empty if the key may see none. */
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
    throw new TaskNotCancelableError(
      `The task is already ${view.task.status}, so it cannot be cancelled.`,
    );
  }
  const stub = orThrow(taskStub(call.env.TASKS, view.taskId));
  const result = await stub.command(senderOf(call.key), { type: "cancel", reason: null });
  // Another request ended the task first.
  if (!result.ok && result.failure.kind === "invalid_state") {
    throw new TaskNotCancelableError(toRequestError(result.failure).message);
  }
  orThrow(result);
  return getA2aTask(call, { id });
}
