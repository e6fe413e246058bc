import { leaseExpiresAt, expiresAt, timeBudgetEndsAt } from "./schedule.ts";
import type { NewTaskEvent } from "./events.ts";
import { AUTOMATIC_ATTEMPTS_MAX, LEASE_BACKOFF_MS } from "../limits.ts";
import { automaticRetry } from "./attempts.ts";
import type { Task, TaskError } from "./task.ts";

/** What time alone does: limits first, as nothing begins again after them. */
export function decideTick(task: Task, jitter: number, now: number): NewTaskEvent[] {
  const limit = expiresAt(task);
  if (limit !== null && limit <= now) {
    return [{ type: "failed", data: { error: limitError(task, limit), calls: [] } }];
  }
  const leaseEnd = leaseExpiresAt(task);
  return leaseEnd !== null && leaseEnd <= now ? [lostLease(task, jitter, now)] : [];
}

/** The task goes back to its agent's queue after a pause, unless that has not helped before. */
function lostLease(task: Task, jitter: number, now: number): NewTaskEvent {
  const worker = task.lease?.worker ?? null;
  const message = `The worker${worker === null ? "" : ` ${worker}`} was not heard of for ${task.lease?.seconds} seconds.`;
  const error: TaskError = { code: "LEASE_EXPIRED", message, retryable: true };
  if (task.automaticRetries >= AUTOMATIC_ATTEMPTS_MAX - 1) {
    return { type: "failed", data: { error, calls: [] } };
  }
  const pauseMs = LEASE_BACKOFF_MS * 2 ** task.automaticRetries * ((1 + jitter) / 2);
  return automaticRetry(task, task.choice, { error, notBefore: now + Math.round(pauseMs) });
}

function limitError(task: Task, limit: number): TaskError {
  const at = new Date(limit).toISOString();
  if (timeBudgetEndsAt(task) === limit) {
    const seconds = task.budget?.maxDurationSeconds;
    const message = `The budget of ${seconds} seconds of working time was used up at ${at}.`;
    return { code: "BUDGET_EXCEEDED", message, retryable: true };
  }
  if (task.status === "pending" && task.agentId === null) {
    const message = `No fitting agent was found before the deadline ${at}.`;
    return { code: "NO_AGENT_AVAILABLE", message, retryable: true };
  }
  const message = `The deadline ${at} passed while the task was ${task.status}.`;
  return { code: "DEADLINE_EXCEEDED", message, retryable: true };
}
