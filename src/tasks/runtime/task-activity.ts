import type { Activity } from "../../platform/activity-log.ts";
import { type ProgressCause, progressCauseOf, type TaskEvent } from "../model/events.ts";
import type { Task, TaskError } from "../model/task.ts";

/** The activity log entry for the events of one commit. `task`: the task after these events. */
export function describeTaskChange(
  taskId: string,
  task: Task,
  events: readonly TaskEvent[],
): Activity {
  const { status, progress, currentPhase, agentId } = task;
  const error = events.map(errorOf).findLast((found) => found !== null);
  return {
    kind: "task",
    subject: events.map(nameOf).join(", "),
    outcome: `${status} ${progress}%`,
    detail: status === "in_progress" ? currentPhase : null,
    code: error?.code ?? null,
    message: error?.message ?? events.map(textOf).findLast((text) => text !== null) ?? null,
    agentId,
    taskId,
  };
}

const PROGRESS_NAMES: Readonly<Record<ProgressCause, string>> = {
  step: "progressed",
  file: "file_added",
  usage: "usage",
  failed_try: "turn_failed",
};

/** The event's type or, for a progress event, its cause. */
function nameOf(event: TaskEvent): string {
  return event.type === "progressed" ? PROGRESS_NAMES[progressCauseOf(event.data)] : event.type;
}

function errorOf({ type, data }: TaskEvent): TaskError | null {
  switch (type) {
    case "failed":
      return data.error;
    case "progressed":
      return data.error ?? null;
    case "retried":
      return data.automatic?.error ?? null;
    default:
      return null;
  }
}

/** The event's text for people to read: the task, question, reason or comment. */
function textOf({ type, data }: TaskEvent): string | null {
  switch (type) {
    case "created":
      return data.task;
    case "blocked":
      return data.question;
    case "declined":
    case "cancelled":
      return data.reason;
    case "approved":
    case "changes_requested":
      return data.comment;
    default:
      return null;
  }
}
