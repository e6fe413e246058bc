import type { TaskCommand } from "./transitions.ts";
import type { NewTaskEvent } from "./events.ts";
import { slotOf } from "./slot.ts";
import { automaticRetry } from "./attempts.ts";
import type { Task, TaskError } from "./task.ts";

const EXECUTOR_CHANGED = "The agent works in another way than when the task was assigned to it.";

/**
 * A task that does not wait for this agent (any more) stays as it is. One that was assigned to workers
 * and is offered a place without a lease, or the reverse, is released: nobody would do it, or two would.
 */
export function decideAdmit(
  task: Task,
  { agentId, grant }: Extract<TaskCommand, { type: "admit" }>,
  now: number,
): NewTaskEvent[] {
  if (slotOf(task) !== "waiting" || task.agentId !== agentId) return [];
  if ((grant === null) === (task.terms.executor === "worker")) {
    return decideRelease(task, { type: "release", agentId, reason: EXECUTOR_CHANGED }, now);
  }
  const type = task.status === "assigned" ? "started" : "resumed";
  return [{ type, data: grant === null ? { agentId } : { agentId, lease: grant } }];
}

/** Who was assigned is taken back; who had begun and waits to go on starts over with somebody else. */
export function decideRelease(
  task: Task,
  { agentId, reason }: Extract<TaskCommand, { type: "release" }>,
  now: number,
): NewTaskEvent[] {
  if (slotOf(task) !== "waiting" || task.agentId !== agentId) return [];
  if (task.status === "assigned") {
    return [{ type: "declined", data: { agentId, reason, excludes: false } }];
  }
  const error: TaskError = { code: "AGENT_ERROR", message: reason, retryable: true };
  return [automaticRetry(task, null, { error, notBefore: now })];
}
