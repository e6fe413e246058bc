import { addAgentCost, minuteCost, payTaskPrice } from "./agent-cost.ts";
import { mergeContext } from "./fields.ts";
import { type RetryCause, retryCauseOf, type TaskEventOf } from "./events.ts";
import {
  agentFields,
  type AgentChoice,
  requestedAgentIdOf,
  slotOf,
  endedAtOf,
  errorOf,
  type Task,
  type TaskBase,
  type TaskError,
} from "./task.ts";
import { hasQueue } from "../../agents/model/agent.ts";
import { grantLease } from "./lease.ts";
import { workingMs, expiresAt, timeBudgetEndsAt } from "./schedule.ts";

/** The initial values of the fields that a new attempt resets. */
export const INITIAL_ATTEMPT_STATE = {
  notBefore: null,
  lease: null,
  files: [],
  startedAt: null,
  workedMs: 0,
  progress: 0,
  currentPhase: null,
  work: {},
  answers: [],
  round: 0,
  reviewComments: [],
} satisfies Partial<TaskBase>;

/** The task at the start of its next attempt. */
export function startAttempt(task: Task, { data, at }: TaskEventOf<"retried">): Task<"pending"> {
  const cause = retryCauseOf(data);
  const error = data.automatic?.error ?? errorOf(task);
  if (error === null) throw new Error('A log must contain "failed" before "retried"');
  const { attempt, agentId, agentName, startedAt } = task;
  const failedAt = endedAtOf(task) ?? at;
  const isRequested = cause === "requested";
  const isExcused = cause === "key_ended" || cause === "agent_changed";
  const attempts = [...task.attempts, { attempt, agentId, agentName, error, startedAt, failedAt }];
  const earlierAgentIds = attempts.flatMap(({ agentId: id }) => (id === null ? [] : [id]));
  const requestedExclusions = data.reassign ? [...new Set(earlierAgentIds)] : [];
  // Only expired leases count. A revoked key or a changed agent is not the worker's fault.
  const retries = task.automaticRetries + (cause === "lease_expired" ? 1 : 0);
  return {
    ...leaveStatus(task, at),
    ...INITIAL_ATTEMPT_STATE,
    ...inheritedFields(task, cause),
    ...agentFields(data.choice),
    status: "pending",
    attempt: data.attempt,
    attempts,
    excusedAttempts: isExcused ? [...task.excusedAttempts, attempt] : task.excusedAttempts,
    automaticRetries: isRequested ? 0 : retries,
    notBefore: data.automatic?.notBefore ?? null,
    requestedAgentId: data.reassign ? null : task.requestedAgentId,
    excludedAgentIds: isRequested ? requestedExclusions : task.excludedAgentIds,
    context: data.context === null ? task.context : mergeContext(task.context, data.context),
    lastStepAt: at,
  };
}

/**
 * Gives a task that has not started to the agent that a client requested. The task becomes pending, so that the previous
 * agent's queue removes it before it is assigned again.
 */
export function changeAgent(task: Task, choice: AgentChoice, at: number): Task<"pending"> {
  return {
    ...leaveStatus(task, at),
    ...agentFields(choice),
    status: "pending",
    requestedAgentId: requestedAgentIdOf(choice),
    excludedAgentIds: task.excludedAgentIds.filter((agentId) => agentId !== choice.agentId),
    leftAgentId: slotOf(task) === "queued" ? task.agentId : task.leftAgentId,
    releaseCount: 0,
    notBefore: null,
    // Only the agent that saved `work` may read it.
    work: {},
    lastStepAt: at,
  };
}

/**
 * An automatic retry keeps answers and review comments. After a lost lease, it also keeps the agent's `work`, which the
 * next assignment clears if the agent or its executor type has changed.
 */
function inheritedFields(
  { answers, reviewComments, round, work }: Task,
  cause: RetryCause,
): Partial<TaskBase> {
  if (cause === "requested") return {};
  return { answers, reviewComments, round, ...(cause === "agent_changed" ? {} : { work }) };
}

/**
 * Removes the fields that belong to the current status. When the task leaves `in_progress`, adds the elapsed time to
 * its working time, and its price to the spend.
 */
export function leaveStatus(task: Task, at: number): TaskBase {
  switch (task.status) {
    case "pending":
    case "assigned": {
      const { status, ...base } = task;
      return base;
    }
    case "in_progress": {
      const { status, workStartSeq, workingSince, turnError, retriedTurn, ...base } = task;
      return addAgentCost({ ...base, workedMs: workingMs(task, at) }, minuteCost(task, at), at);
    }
    case "blocked": {
      const { status, blocked, ...base } = task;
      return base;
    }
    case "review": {
      const { status, outcome, ...base } = task;
      return base;
    }
    case "completed": {
      const { status, outcome, feedback, endedAt, ...base } = task;
      return base;
    }
    case "failed": {
      const { status, error, endedAt, ...base } = task;
      return base;
    }
    case "cancelled": {
      const { status, cancelReason, endedAt, ...base } = task;
      return base;
    }
  }
}

/** Starts or resumes the agent's work. The event contains a lease if a worker does the work. */
export function startWork(
  base: TaskBase,
  event: TaskEventOf<"started" | "resumed">,
): Task<"in_progress"> {
  const { seq, at, data } = event;
  const lease = data.lease === undefined ? null : grantLease(data.lease, seq, at);
  return { ...toActive(base, seq, at), lease, lastStepAt: at };
}

/**
 * Continues the task after a person's response: immediately if the agent has no queue, otherwise once the task has a
 * slot.
 */
export function continueWork(base: TaskBase, seq: number, at: number): Task<"in_progress"> {
  return { ...(hasQueue(base.terms) ? toQueued(base) : toActive(base, seq, at)), lastStepAt: at };
}

function toActive(base: TaskBase, workStartSeq: number, at: number): Task<"in_progress"> {
  return {
    ...payTaskPrice(base, at),
    status: "in_progress",
    workStartSeq,
    workingSince: at,
  };
}

export function toQueued(base: TaskBase): Task<"in_progress"> {
  return { ...base, status: "in_progress", workStartSeq: 0, workingSince: null };
}

/** Remembers why the agent's turn failed, until the agent makes progress. */
export function updateTurnError(task: Task, { data, at }: TaskEventOf<"progressed">): Task {
  if (task.status !== "in_progress") return task;
  const { turnError, ...rest } = task;
  return data.error === undefined
    ? rest
    : { ...rest, turnError: { at, message: data.error.message } };
}

export function agentError(message: string): TaskError {
  return { code: "AGENT_ERROR", message, retryable: true };
}

export function leaseError({ lease }: Task): TaskError {
  const worker = lease?.worker ?? null;
  const name = worker === null ? "The worker" : `Worker ${worker}`;
  const message = `${name} sent no report for ${lease?.seconds} seconds.`;
  return { code: "LEASE_EXPIRED", message, retryable: true };
}

/** The error for a task that has missed its deadline or exceeded its time budget. */
export function limitError(task: Task): TaskError {
  const limit = expiresAt(task) ?? 0;
  const at = new Date(limit).toISOString();
  if (timeBudgetEndsAt(task) === limit) {
    const seconds = task.budget?.maxDurationSeconds;
    const message = `The working time budget of ${seconds} seconds was used up at ${at}.`;
    return { code: "BUDGET_EXCEEDED", message, retryable: true };
  }
  if (task.status === "pending" && task.agentId === null) {
    const message = `No suitable agent was found before the deadline of ${at}.`;
    return { code: "NO_AGENT_AVAILABLE", message, retryable: true };
  }
  const message = `The deadline of ${at} passed while the task was ${task.status}.`;
  return { code: "DEADLINE_EXCEEDED", message, retryable: true };
}
