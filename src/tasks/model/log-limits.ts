import type { TaskCommand } from "./command.ts";
import { allowedActions, type TaskAction } from "./transitions.ts";
import type { TaskEventType, NewTaskEvent } from "./events.ts";
import type { Failure } from "../../kernel/failure.ts";
import { TASK_EVENTS_MAX, TASK_LOG_BYTES_MAX } from "../limits.ts";
import { fail, ok, type Result } from "../../kernel/result.ts";
import type { Task, TaskError } from "./task.ts";

/** Events that end a task, at most three: they are always accepted. */
const ENDING: ReadonlySet<TaskEventType> = new Set([
  "submitted",
  "approved",
  "completed",
  "failed",
  "cancelled",
]);

/** Commands of clients and workers: these are rejected if the log is full. Any other command fails the task. */
const ASKED: ReadonlySet<TaskCommand["type"]> = new Set([
  "report",
  "respond",
  "review",
  "retry",
  "update",
  "rate",
]);

/** Actions that remain possible when a task's log is full. */
const STILL_POSSIBLE: ReadonlySet<TaskAction> = new Set(["cancel", "review", "deliverables"]);

/**
 * The events of a command if they fit in the task's log. Otherwise a request is rejected, and a task that
 * would continue by itself fails. `logBytes`: the size of the log before these events.
 */
export function enforceLogLimits(
  task: Task,
  command: TaskCommand,
  events: readonly NewTaskEvent[],
  logBytes: number,
): Result<NewTaskEvent[], Failure> {
  const limit = exceededLimit(task.seq + events.length, logBytes);
  if (limit === null || events.every(({ type }) => ENDING.has(type))) return ok([...events]);
  if (ASKED.has(command.type)) {
    const { status } = task;
    const allowed = allowedActions(status).filter((action) => STILL_POSSIBLE.has(action));
    return fail({ kind: "task_log_full", limit, status, allowed });
  }
  const message = `The task has reached its limit of ${limit}. Create a new task for the rest of the work.`;
  const error: TaskError = { code: "AGENT_ERROR", message, retryable: false };
  return ok([{ type: "failed", data: { error, ...paidIn(events) } }]);
}

function exceededLimit(events: number, logBytes: number): string | null {
  if (events > TASK_EVENTS_MAX) return `${TASK_EVENTS_MAX} events`;
  return logBytes >= TASK_LOG_BYTES_MAX ? `${TASK_LOG_BYTES_MAX} bytes of events` : null;
}

/** The usage of events that are not written is still charged. */
function paidIn(events: readonly NewTaskEvent[]) {
  const calls = events.flatMap(({ data }) => ("calls" in data ? data.calls : []));
  const use = events.flatMap(({ data }) => ("use" in data ? [data.use] : []))[0];
  return use === undefined ? { calls } : { calls, use };
}
