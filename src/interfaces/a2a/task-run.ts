import type { TaskEvent } from "../../tasks/model/events.ts";
import { applyEvent } from "../../tasks/model/fold.ts";
import type { JsonObject } from "../../kernel/json.ts";
import type { Task } from "../../tasks/model/task.ts";
import { statusUpdateOf } from "./task-state.ts";

/** A task of A2A: one life of one of ours. The context of all its lives is the id of our task. */
export interface A2aTaskRef {
  readonly taskId: string;
  /** From 1. */
  readonly run: number;
}

const A2A_TASK_ID = /^([0-9a-f]{64})(?:-([2-9]|[1-9]\d{1,3}))?$/;

/** The first life goes by the task's own id, the others by `<task id>-<life>`. */
export function formatA2aTaskId({ taskId, run: view }: A2aTaskRef): string {
  return view === 1 ? taskId : `${taskId}-${view}`;
}

/** What an id of A2A names, or null for one that this service never gave out. */
export function parseA2aTaskId(id: string): A2aTaskRef | null {
  const [, taskId, view = "1"] = A2A_TASK_ID.exec(id) ?? [];
  return taskId === undefined ? null : { taskId, run: Number(view) };
}

/** Something that was said in a life. `seq` is that of the event. */
export interface HistoryEntry {
  readonly seq: number;
  readonly role: "user" | "agent";
  readonly parts: readonly (string | JsonObject)[];
}

/**
 * What A2A calls a task: the events of ours from its creation, or a retry that somebody asked for, up to
 * the next. So what has ended stays ended. `task` is ours as it stood at the life's last event.
 */
export interface A2aTaskView {
  readonly run: number;
  readonly task: Task;
  /** What was said last with its state, and when. */
  readonly lastUpdate: { readonly seq: number; readonly at: number; readonly text: string | null };
  readonly history: readonly HistoryEntry[];
}

/** Adds to the lives that a log tells, oldest first, what its next events tell. */
export function foldEventsIntoViews(views: A2aTaskView[], events: Iterable<TaskEvent>): void {
  for (const event of events) {
    const view = foldEventIntoView(views.at(-1) ?? null, event);
    views[view.run - 1] = view;
  }
}

/** A life after one more event, or the one that begins with it. */
export function foldEventIntoView(before: A2aTaskView | null, event: TaskEvent): A2aTaskView {
  const { seq, at } = event;
  const task = applyEvent(before?.task ?? null, event);
  const update = statusUpdateOf(event);
  const entry = historyEntryOf(event, task);
  const current = before === null || startsRun(event) ? null : before;
  return {
    run: current?.run ?? (before?.run ?? 0) + 1,
    task,
    lastUpdate:
      update === null && current !== null
        ? current.lastUpdate
        : { seq, at, text: update?.text ?? null },
    history: [...(current?.history ?? []), ...(entry === null ? [] : [{ seq, ...entry }])],
  };
}

/** What begins by itself again never had ended. */
function startsRun(event: TaskEvent): boolean {
  return event.type === "retried" && event.data.automatic === undefined;
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
