import type { NewTaskEvent } from "./events.ts";
import { isActive } from "./slot.ts";
import { automaticRetry } from "./attempts.ts";
import type { Task, TaskError } from "./task.ts";

/**
 * Handles the end of a lease's key: a task held with it returns to its agent's queue at once. A lease with
 * another key, or one that has ended, does not change.
 */
export function decideEndLease(task: Task, keyId: string, now: number): NewTaskEvent[] {
  if (!isActive(task) || task.lease?.keyId !== keyId) return [];
  const { worker } = task.lease;
  const whose = worker === null ? "The worker's key" : `The key of the worker ${worker}`;
  const message = `${whose} was revoked or has expired.`;
  const error: TaskError = { code: "AGENT_ERROR", message, retryable: true };
  return [automaticRetry(task, task.choice, { error, notBefore: now })];
}
