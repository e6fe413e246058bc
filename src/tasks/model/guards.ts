import {
  toFailure,
  contextChecks,
  checkNotes,
  checkAnswers,
  checkDeadline,
  requestsReview,
  changesContext,
  changesFields,
  type FieldCheck,
} from "./fields.ts";
import { hasQueue } from "../../agents/model/agent.ts";
import { createFieldFailure, type Failure } from "../../kernel/failure.ts";
import { checkJsonSize, type JsonObject } from "../../kernel/json.ts";
import { LIST_ITEMS_MAX } from "../../kernel/limits.ts";
import { preview, fail, ok, type Result } from "../../kernel/result.ts";
import {
  ATTEMPTS_MAX,
  AUTOMATIC_ATTEMPTS_MAX,
  BUDGET_BYTES_MAX,
  CONTEXT_BYTES_MAX,
} from "../limits.ts";
import { agentCostQuestion, costEndsAt } from "./agent-cost.ts";
import { pendingApprovalIds } from "./approvals.ts";
import { checkBudgetRaise } from "./budget.ts";
import type { NamedCommands, TaskCommand, WorkerReport } from "./command.ts";
import type { TaskEventData } from "./events.ts";
import { expiresAt, leaseExpiresAt, workingMs } from "./schedule.ts";
import {
  isActive,
  isTerminal,
  slotOf,
  blockOf,
  hasAnswer,
  errorOf,
  outcomeOf,
  type Task,
  type TaskBudget,
  type TaskOutcome,
  workStartSeqOf,
} from "./task.ts";
import { allowedActions } from "./transitions.ts";

/** The failure for a command that is illegal in the task's state. */
export function illegalTransition(task: Task, type: TaskCommand["type"]): Failure {
  const state = { status: task.status, allowed: allowedActions(task.status) };
  if (type === "report") return { kind: "lease_lost", ...state };
  const kind = type === "rate" ? "task_not_completed" : "invalid_state";
  return { kind, action: PARTICIPLES[type], ...state };
}

/** The participles in the error messages for illegal commands: "cannot be …". */
const PARTICIPLES: Readonly<Record<Exclude<TaskCommand["type"], "report">, string>> = {
  create: "created",
  assign: "assigned",
  start: "started",
  decline: "declined",
  admit: "given a slot",
  release: "taken back",
  endLease: "released",
  hold: "paused",
  progress: "advanced",
  block: "blocked",
  requestApproval: "charged for a call",
  settleApproval: "continued",
  spend: "charged for a call",
  respond: "responded to",
  submit: "submitted",
  complete: "completed",
  review: "reviewed",
  fail: "failed",
  cancel: "cancelled",
  retry: "retried",
  update: "updated",
  rate: "given feedback",
  expire: "expired",
};

export function hasNoQueue({ terms }: Task): boolean {
  return !hasQueue(terms);
}

export function isQueuedFor(task: Task, { agentId }: { readonly agentId: string }): boolean {
  return slotOf(task) === "queued" && task.agentId === agentId;
}

/**
 * Whether a lease is granted if and only if a worker does the work. Otherwise, the work would be done twice or never.
 */
export function fitsExecutor(
  { terms }: Task,
  { grant }: Pick<NamedCommands["admit"], "grant">,
): boolean {
  return (grant !== null) === (terms.executor === "worker");
}

export function isLeasedWithKey({ lease }: Task, { keyId }: NamedCommands["endLease"]): boolean {
  return lease?.keyId === keyId;
}

/** Whether a command belongs to the current attempt. Commands from earlier attempts are ignored. */
export function isCurrentAttempt(task: Task, { attempt }: { readonly attempt: number }): boolean {
  return task.attempt === attempt;
}

/** Whether a person must review the work before the task is completed. */
export function requiresReview({ terms, context, round }: Task): boolean {
  return terms.requireReview || requestsReview(context) || round > 0;
}

export function isExpired(task: Task, _: unknown, now: number): boolean {
  return isDue(expiresAt(task), now);
}

export function isLeaseExpired(task: Task, _: unknown, now: number): boolean {
  return isDue(leaseExpiresAt(task), now);
}

/** Whether the budget does not cover more of the agent's work. */
export function isCostUncovered(task: Task, _: unknown, now: number): boolean {
  return isDue(costEndsAt(task), now);
}

/** Whether people were asked to raise the budget for the agent's work, and did not. */
export function isRaiseRefused(task: Task): boolean {
  return hasAnswer(task, agentCostQuestion(task.budget));
}

export function hasLeaseRetries({ automaticRetries }: Task): boolean {
  return automaticRetries < AUTOMATIC_ATTEMPTS_MAX - 1;
}

/** Whether an assignment is to the agent that the task already has, if any. A client may have changed it meanwhile. */
export function fitsChoice(task: Task, { choice }: NamedCommands["assign"]): boolean {
  return task.agentId === null || task.agentId === choice.agentId;
}

/** Whether an update gives the task to another agent. */
export function changesAgent(task: Task, { choice }: NamedCommands["update"]): boolean {
  return choice !== undefined && choice.agentId !== task.agentId;
}

/** The fields that an update sets, and the agent unless the task already has it. */
export function effectiveChange(
  task: Task,
  command: NamedCommands["update"],
): TaskEventData["updated"] {
  const { change, choice } = command;
  return choice !== undefined && changesAgent(task, command) ? { ...change, choice } : change;
}

/** Rejects an update that gives a task to another agent after its attempt has started. */
export function keepsAgent(task: Task, command: NamedCommands["update"]): Failure | null {
  if (!changesAgent(task, command)) return null;
  const remedy =
    task.status === "failed"
      ? "Retry it with reassign, or retry it and change its agent before the new attempt starts."
      : "The attempt has started. Cancel the task, and create a new one for the other agent.";
  const state = { status: task.status, allowed: allowedActions(task.status) };
  return { kind: "invalid_state", action: "given to another agent", ...state, remedy };
}

/** Whether an update changes the task. Notes always do, because they add a line. */
export function changesTask(task: Task, command: NamedCommands["update"]): boolean {
  const { change } = command;
  return (
    changesAgent(task, command) ||
    changesFields(task, change) ||
    change.notes !== undefined ||
    (change.context !== undefined && changesContext(task.context, change.context))
  );
}

/** A call that requires approval is decided by people with a key for that, not by an answer to the task. */
export function isQuestion(task: Task): Failure | null {
  const [approvalId] = blockOf(task)?.approvalIds ?? [];
  return approvalId === undefined ? null : { kind: "task_awaits_approval", approvalId };
}

/** Whether the task has no approval with this id yet. */
export function isNewApproval(
  { approvals }: Task,
  { data }: NamedCommands["requestApproval"],
): boolean {
  return approvals.every(({ approvalId }) => approvalId !== data.approvalId);
}

export function isPendingApproval(
  { approvals }: Task,
  { settlement }: NamedCommands["settleApproval"],
): boolean {
  const found = approvals.find(({ approvalId }) => approvalId === settlement.approvalId);
  return found?.status === "pending";
}

/** Whether the task waits for this approval and no other. */
export function isLastAwaited(
  task: Task,
  { settlement }: NamedCommands["settleApproval"],
): boolean {
  const awaited = blockOf(task)?.approvalIds ?? [];
  const pending = new Set(pendingApprovalIds(task));
  const open = awaited.filter((id) => pending.has(id));
  return open.length === 1 && open[0] === settlement.approvalId;
}

/** Whether the agent stops to wait for approvals that have been settled since. */
export function awaitsSettledApprovals(task: Task, { data }: NamedCommands["block"]): boolean {
  const pending = new Set(pendingApprovalIds(task));
  return data.approvalIds !== undefined && !data.approvalIds.some((id) => pending.has(id));
}

export function validResponse(task: Task, { response }: NamedCommands["respond"]): Failure | null {
  return toFailure([
    ["response", checkAnswers(task, response)],
    ...checkBudgetRaise(task, response),
  ]);
}

export function validUpdate(
  task: Task,
  { change }: NamedCommands["update"],
  now: number,
): Failure | null {
  return toFailure([
    ["deadline", change.deadline === undefined ? null : checkDeadline(change.deadline, now)],
    ...contextChecks(task, change.context ?? null),
    ["notes", checkNotes(task, change.notes)],
    ...checkNewBudget(task, change.budget, now),
  ]);
}

/** A working time below the time already worked would end the attempt immediately. */
function checkNewBudget(
  task: Task,
  budget: TaskBudget | undefined,
  now: number,
): readonly FieldCheck[] {
  if (budget === undefined) return [];
  const { maxDurationSeconds: seconds } = budget;
  const isUsedUp =
    seconds !== undefined && !isTerminal(task.status) && seconds * 1_000 <= workingMs(task, now);
  const rule = `must exceed the time that the agent has already worked in this attempt (${workingMs(task, now) / 1_000} seconds)`;
  return [
    ["budget", checkJsonSize(budget, BUDGET_BYTES_MAX)],
    ["budget.maxDurationSeconds", isUsedUp ? `${rule}, got ${seconds}` : null],
  ];
}

export function validRetry(
  task: Task,
  command: NamedCommands["retry"],
  now: number,
): Failure | null {
  if (command.attempt !== task.attempt) return illegalTransition(task, "retry");
  const state = { status: task.status, allowed: allowedActions(task.status) };
  if (task.attempt >= ATTEMPTS_MAX) {
    return { kind: "invalid_state", action: `attempted more than ${ATTEMPTS_MAX} times`, ...state };
  }
  if (isDue(task.deadline, now)) return { kind: "deadline_passed", ...state };
  if (command.reassign && command.choice === null) return { kind: "no_other_agent", ...state };
  return toFailure([
    ...contextChecks(task, command.context),
    ["notes", checkNotes(task, command.notes)],
  ]);
}

/** Whether the worker with this token holds the task at `now`. */
export function holdsLease(task: Task, token: string, now: number): boolean {
  const { lease } = task;
  if (lease === null || lease.token !== token) return false;
  return isActive(task) && workStartSeqOf(task) === lease.seq && now < lease.expiresAt;
}

export function validLease(
  task: Task,
  { token }: { readonly token: string },
  now: number,
): Failure | null {
  return holdsLease(task, token, now) ? null : illegalTransition(task, "report");
}

/**
 * Accepts a repeat of the report that ended the work, or a late heartbeat. The report must have the token of the last
 * lease, and a repeat must have the same result, error message or question. `released` can be repeated only until the
 * lease would have expired, and a late heartbeat of a paused agent is accepted until then.
 */
export function repeatedReport(
  task: Task,
  { token, report }: { readonly token: string; readonly report: WorkerReport },
  now: number,
): Failure | null {
  // If a task failed because its lease expired, its worker did not report the failure.
  const isFromWorker = task.lease?.token === token && errorOf(task)?.code !== "LEASE_EXPIRED";
  return isFromWorker && isSameReport(task, report, now) ? null : illegalTransition(task, "report");
}

function isSameReport(task: Task, report: WorkerReport, now: number): boolean {
  switch (report.type) {
    case "review":
    case "completed":
      return JSON.stringify(outcomeOf(task)?.result) === JSON.stringify(report.result);
    case "failed":
      return errorOf(task)?.message === report.message;
    case "blocked":
      return blockOf(task)?.question === report.question;
    case "released":
      return isReturnedUntil(task, now);
    case "heartbeat":
      // The worker learns that its agent is paused.
      return slotOf(task) !== "queued" || (task.isHeld && isReturnedUntil(task, now));
    default:
      return true;
  }
}

/** Whether the task left the worker before its work was done, and the worker's lease would not have expired yet. */
function isReturnedUntil({ lease }: Task, now: number): boolean {
  return lease?.isReturned === true && now < lease.expiresAt;
}

export function validProgress(
  task: Task,
  { report: { progress } }: NamedCommands["report.progress"],
): Failure | null {
  // Also rejects NaN.
  if (progress >= task.progress) return null;
  const rule = `must be at least the current progress of ${task.progress}`;
  return createFieldFailure("progress", `${rule}, got ${progress}`);
}

export function validWork(
  task: Task,
  { report: { work } }: { readonly report: { readonly work: JsonObject | null } },
): Failure | null {
  if (work === null) return null;
  return toFailure([["work", checkJsonSize({ ...task.work, ...work }, CONTEXT_BYTES_MAX)]]);
}

export function validFile(
  task: Task,
  { report: { file } }: NamedCommands["report.file"],
): Failure | null {
  return fileLimitFailure(task, file.name);
}

/** Why a worker cannot add a file with this name to the task, or null. */
export function fileLimitFailure({ files }: Task, name: string): Failure | null {
  if (files.length < LIST_ITEMS_MAX || files.some((file) => file.name === name)) return null;
  const rule = `must be the name of an existing file to replace, because the task already has ${LIST_ITEMS_MAX} files`;
  return createFieldFailure("name", `${rule}, got ${preview(name)}`);
}

/** The outcome of a task that is in review or completed. */
export function readOutcome(task: Task): Result<TaskOutcome, Failure> {
  const outcome = outcomeOf(task);
  if (outcome !== null) return ok(outcome);
  const { status } = task;
  const action = "queried for its deliverables";
  return fail({ kind: "task_not_completed", action, status, allowed: allowedActions(status) });
}

function isDue(at: number | null, now: number): boolean {
  return at !== null && at <= now;
}
