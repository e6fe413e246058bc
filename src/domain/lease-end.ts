import type { NewEvent } from "./events.ts";
import { isAtWork } from "./place.ts";
import { startingOver } from "./starting-over.ts";
import type { Task, TaskError } from "./task.ts";

/**
 * The key of a lease has ended: a task that is held through it goes back to its agent's queue at once.
 * A lease through another key, and one that is over, stay as they are.
 */
export function decideEndLease(task: Task, keyId: string, now: number): NewEvent[] {
  if (!isAtWork(task) || task.lease?.keyId !== keyId) return [];
  const { worker } = task.lease;
  const whose = worker === null ? "The worker's key" : `The key of the worker ${worker}`;
  const message = `${whose} was revoked or has expired.`;
  const error: TaskError = { code: "AGENT_ERROR", message, retryable: true };
  return [startingOver(task, task.choice, { error, notBefore: now })];
}
