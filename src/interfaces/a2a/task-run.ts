import type { JsonObject } from "../../kernel/json.ts";
import { retryCauseOf, type TaskEvent } from "../../tasks/model/events.ts";
import { applyEvent } from "../../tasks/model/fold.ts";
import type { Task } from "../../tasks/model/task.ts";
import { statusUpdateOf } from "./task-state.ts";

/**
 * Identifies an A2A task, which is one run of a Bosun task. All runs have the same context: the Bosun task's id, unless
 * the client chose another.
 */
export interface A2aTaskRef {
  readonly taskId: string;
  /** Starts at 1. */
  readonly run: number;
}

const A2A_TASK_ID = /^([0-9a-f]{64})(?:-([2-9]|[1-9]\d{1,3}))?$/;

/** The first run has the id of the Bosun task; later runs have `<task id>-<run>`. */
export function formatA2aTaskId({ taskId, run }: A2aTaskRef): string {
  return run === 1 ? taskId : `${taskId}-${run}`;
}

/** The run that an A2A task id identifies; null if the id is not in this service's format. */
export function parseA2aTaskId(id: string): A2aTaskRef | null {
  const [, taskId, run = "1"] = A2A_TASK_ID.exec(id) ?? [];
  return taskId === undefined ? null : { taskId, run: Number(run) };
}

/** A message of a run. `seq` is the sequence number of its event. */
export interface HistoryEntry {
  readonly seq: number;
  readonly role: "user" | "agent";
  readonly parts: readonly (string | JsonObject)[];
}

/**
 * An A2A task covers the events of a Bosun task from its creation or a requested retry until the next such retry, so an
 * ended A2A task never reopens. `task` is the Bosun task after the last event of the run.
 */
export interface A2aTaskView extends A2aTaskRef {
  readonly task: Task;
  readonly lastUpdate: { readonly seq: number; readonly at: number; readonly text: string | null };
  readonly history: readonly HistoryEntry[];
}

/** Applies the next events of a task's log to its runs, oldest first. */
export function foldEventsIntoViews(
  taskId: string,
  views: A2aTaskView[],
  events: Iterable<TaskEvent>,
): void {
  for (const event of events) {
    const view = foldEventIntoView(taskId, views.at(-1) ?? null, event);
    views[view.run - 1] = view;
  }
}

/** The run after one more event: the same run, or the new run that the event starts. */
export function foldEventIntoView(
  taskId: string,
  before: A2aTaskView | null,
  event: TaskEvent,
): A2aTaskView {
  const { seq, at } = event;
  const task = applyEvent(before?.task ?? null, event);
  const update = statusUpdateOf(event);
  const entry = historyEntryOf(event, task);
  const current = before === null || startsRun(event) ? null : before;
  return {
    taskId,
    run: current?.run ?? (before?.run ?? 0) + 1,
    task,
    lastUpdate:
      update === null && current !== null
        ? current.lastUpdate
        : { seq, at, text: update?.text ?? null },
    history: [...(current?.history ?? []), ...(entry === null ? [] : [{ seq, ...entry }])],
  };
}

/** An automatic retry continues the run, because the task has not ended. */
function startsRun(event: TaskEvent): boolean {
  return event.type === "retried" && retryCauseOf(event.data) === "requested";
}

function historyEntryOf(event: TaskEvent, task: Task): Omit<HistoryEntry, "seq"> | null {
  switch (event.type) {
    case "created":
      return { role: "user", parts: [event.data.task] };
    case "retried": {
      if (!startsRun(event)) return null;
      return { role: "user", parts: [task.task, ...(task.notes === null ? [] : [task.notes])] };
    }
    case "blocked":
      return { role: "agent", parts: [event.data.question] };
    case "call_stored":
    case "call_settled":
      return null;
    case "submitted":
      return { role: "agent", parts: [event.data.result.summary] };
    case "responded": {
      const { response } = event.data;
      return response === null ? null : { role: "user", parts: [response] };
    }
    case "approved":
    case "changes_requested": {
      const { comment } = event.data;
      return comment === null ? null : { role: "user", parts: [comment] };
    }
    case "assigned":
    case "declined":
    case "started":
    case "resumed":
    case "progressed":
    case "completed":
    case "failed":
    case "cancelled":
    case "updated":
    case "rated":
      return null;
  }
}
