import { NO_PROGRESS_DEFAULTS } from "../../agents/model/pause.ts";
import { sumDollars } from "../../kernel/units.ts";
import { FAILURE_REPORT_MAX_MS } from "../limits.ts";
import { progressCauseOf, type TaskEvent } from "./events.ts";
import {
  endedAtOf,
  errorOf,
  isActive,
  slotOf,
  type PastAttempt,
  type Task,
  type TaskError,
  type TaskErrorCode,
} from "./task.ts";

type SpendMark = Task["spendAtProgress"];

/** What a task's object knows of its checks by the no-progress breaker. It is stored outside the log. */
export interface BreakerCheck {
  /** The last failed attempt that was reported; 0 if there is none. */
  readonly reportedAttempt: number;
  /** The spend at the last check. */
  readonly checked: SpendMark;
  /** The spend when the breaker last paused the agent because of this task; null if it never did. */
  readonly paused: SpendMark | null;
}

/** The check that follows when no check was made yet. */
export const UNCHECKED: BreakerCheck = {
  reportedAttempt: 0,
  checked: { seq: 0, cost: 0, toolCalls: 0 },
  paused: null,
};

/** Whether an event shows that the work advances or has ended, or that a person let it continue. */
function showsProgress(before: Task, event: TaskEvent): boolean {
  switch (event.type) {
    case "progressed": {
      const { data } = event;
      if (data.file !== undefined) return true;
      const isStep = progressCauseOf(data) === "step" && data.estimated !== true;
      return isStep && data.progress > before.progress;
    }
    case "submitted":
    case "completed":
    case "failed":
    case "cancelled":
    case "responded":
    case "changes_requested":
      return true;
    case "declined":
      return event.data.paused === true;
    default:
      return false;
  }
}

/** Tool calls and cost, in US dollars. */
export interface SpendWithoutProgress {
  readonly calls: number;
  readonly cost: number;
}

/** The task's spend since it last made progress or, if that is later, since the breaker paused its agent. */
export function spendWithoutProgress(
  task: Pick<Task, "spend" | "spendAtProgress">,
  check: BreakerCheck | null,
): SpendWithoutProgress {
  return spendSince(task, check?.paused ?? null);
}

/** `mark`: a later mark than the last progress, unless the task has made progress since. */
function spendSince(
  { spend, spendAtProgress }: Pick<Task, "spend" | "spendAtProgress">,
  mark: SpendMark | null,
): SpendWithoutProgress {
  const from = mark?.seq === spendAtProgress.seq ? mark : spendAtProgress;
  return {
    calls: spend.toolCalls - from.toolCalls,
    cost: sumDollars([spend.cost, -from.cost]),
  };
}

/** The task's spend now, as the mark of a check. */
export function markSpend({ spend, spendAtProgress }: Task): SpendMark {
  return { ...spend, seq: spendAtProgress.seq };
}

/** Whether a task that is in progress has reached a limit since its last progress or its last check. */
export function isSpendCheckDue(
  task: Pick<Task, "status" | "terms" | "spend" | "spendAtProgress">,
  check: BreakerCheck | null,
): boolean {
  if (task.status !== "in_progress") return false;
  const limits = task.terms.noProgress ?? NO_PROGRESS_DEFAULTS;
  const { calls, cost } = spendSince(task, check?.checked ?? null);
  return calls >= (limits.calls ?? Infinity) || cost >= (limits.cost ?? Infinity);
}

/** A failed attempt as it is reported to the breaker. */
export interface FailedAttempt {
  readonly agentId: string;
  readonly attempt: number;
  readonly failedAt: number;
}

/** The failed attempts that are not reported yet and count against an agent, oldest first. */
export function listUnreportedFailures(
  task: Task,
  check: BreakerCheck | null,
  now: number,
): FailedAttempt[] {
  const last = lastAttemptOf(task);
  if (last === null && task.attempts.length === 0) return [];
  const reported = check?.reportedAttempt ?? 0;
  return [...task.attempts, ...(last === null ? [] : [last])].flatMap((past) => {
    const { agentId, attempt, failedAt, startedAt, error } = past;
    const isExcused = task.excusedAttempts.includes(attempt);
    const isNew = attempt > reported && failedAt > now - FAILURE_REPORT_MAX_MS;
    // A worker process that ends loses all its leases at once. Only the last automatic attempt counts.
    const isLost = error.code === "LEASE_EXPIRED" && past !== last;
    const isCounted = isNew && startedAt !== null && !isLost && !isExcused;
    if (!isCounted || agentId === null || !AGENT_FAILURES.has(error.code)) return [];
    return [{ agentId, attempt, failedAt }];
  });
}

/** The excused attempts after a failure. The agent cannot meet a deadline while the task waits. */
export function excusedAfterFailure(task: Task, { code }: TaskError): readonly number[] {
  const isExcused = code === "DEADLINE_EXCEEDED" && !isActive(task);
  return isExcused ? [...task.excusedAttempts, task.attempt] : task.excusedAttempts;
}

/** Failures of the agent. The others are failures of the service, or mean that no agent was found. */
const AGENT_FAILURES: ReadonlySet<TaskErrorCode> = new Set([
  "AGENT_ERROR",
  "TOOL_ERROR",
  "DEADLINE_EXCEEDED",
  "LEASE_EXPIRED",
  "BUDGET_EXCEEDED",
  "REVIEW_REJECTED",
]);

function lastAttemptOf(task: Task): PastAttempt | null {
  const error = errorOf(task);
  const failedAt = endedAtOf(task);
  if (error === null || failedAt === null) return null;
  const { attempt, agentId, agentName, startedAt } = task;
  return { attempt, agentId, agentName, error, startedAt, failedAt };
}

/** Whether the breaker must check the task. */
export function isBreakerDue(task: Task, check: BreakerCheck | null, now: number): boolean {
  return isSpendCheckDue(task, check) || listUnreportedFailures(task, check, now).length > 0;
}

/** When the breaker must check the task; Infinity if it need not. `retryAt`: when a failed check is repeated. */
export function checkDueAt(
  task: Task,
  check: BreakerCheck | null,
  retryAt: number,
  now: number,
): number {
  return isBreakerDue(task, check, now) ? Math.max(now, retryAt) : Infinity;
}

/** Whether the task waits after an event because its agent is paused. */
function isHeldAfter(before: Task, after: Task, event: TaskEvent): boolean {
  if (event.type === "assigned") return event.data.terms?.usesQueue === true;
  if (event.type === "declined") return event.data.paused === true;
  return before.isHeld && slotOf(after) === "queued";
}

/** The fields of a task that depend on whether its work advances. */
export function progressFieldsAfter(
  before: Task,
  after: Task,
  event: TaskEvent,
): Pick<Task, "isHeld" | "spendAtProgress"> {
  return {
    isHeld: isHeldAfter(before, after, event),
    spendAtProgress: showsProgress(before, event)
      ? { ...after.spend, seq: event.seq }
      : before.spendAtProgress,
  };
}
