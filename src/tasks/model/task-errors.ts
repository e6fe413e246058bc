import { expiresAt, timeBudgetEndsAt } from "./schedule.ts";
import type { Task, TaskError } from "./task.ts";

export function agentError(message: string): TaskError {
  return { code: "AGENT_ERROR", message, retryable: true };
}

export function leaseError({ lease }: Task): TaskError {
  const worker = lease?.worker ?? null;
  const message = `The worker${worker === null ? "" : ` ${worker}`} was not heard of for ${lease?.seconds} seconds.`;
  return { code: "LEASE_EXPIRED", message, retryable: true };
}

/** The error of a task whose deadline or time budget has ended. */
export function limitError(task: Task): TaskError {
  const limit = expiresAt(task) ?? 0;
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
