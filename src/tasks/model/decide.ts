import { decideAdmit, decideRelease } from "./admission.ts";
import { checkBudgetRaise } from "./budget.ts";
import {
  allowedActions,
  LEGAL_FROM,
  type TaskCommand,
  type TaskCommandType,
} from "./transitions.ts";
import { changesContext, checkContextOptions, mergeContext } from "./context.ts";
import { checkDeadline } from "./deadline.ts";
import type { TaskEventData, NewTaskEvent } from "./events.ts";
import type { Failure } from "../../kernel/failure.ts";
import { appendNotes } from "./fold.ts";
import { checkJsonSize, type JsonObject, jsonSizeOf } from "../../kernel/json.ts";
import {
  ATTEMPTS_MAX,
  BUDGET_BYTES_MAX,
  CONTEXT_BYTES_MAX,
  NOTES_TOTAL_CHARACTERS_MAX,
} from "../limits.ts";
import { enforceLogLimits } from "./log-limits.ts";
import type { Problem } from "../../kernel/problem.ts";
import { decideEndLease } from "./lease-end.ts";
import { slotOf } from "./slot.ts";
import { clampProgress, decideReport, requiresReview } from "./report.ts";
import { fail, ok, type Result } from "../../kernel/result.ts";
import type { ModelUsage, ReviewDecision, Task, TaskError, ToolCall } from "./task.ts";
import { decideTick } from "./tick.ts";

/**
 * The only judge of a task: the events that a command makes of it at `now`, or why it may not.
 * Pure; a legal command that changes nothing makes no events. `logBytes`: the current size of the log.
 */
export function decide(
  task: Task | null,
  command: TaskCommand,
  now: number,
  logBytes = 0,
): Result<NewTaskEvent[], Failure> {
  const decided = eventsOf(task, command, now);
  if (task === null || !decided.ok || decided.value.length === 0) return decided;
  return enforceLogLimits(task, command, decided.value, logBytes);
}

function eventsOf(
  task: Task | null,
  command: TaskCommand,
  now: number,
): Result<NewTaskEvent[], Failure> {
  if (command.type === "create") return decideCreate(task, command.data, now);
  if (task === null) throw new Error(`A task must be created before "${command.type}"`);
  if (!LEGAL_FROM[command.type].includes(task.status))
    return fail(illegalTransition(task, command.type));
  switch (command.type) {
    case "assign":
      return ok([{ type: "assigned", data: { ...command.choice, terms: command.terms } }]);
    case "start":
      // Nobody gets past the agent's queue: a worker would be at work without a lease.
      if (slotOf(task) === "waiting") return ok([]);
      return ok([{ type: "started", data: { agentId: agentOf(task) } }]);
    case "decline":
      return ok([{ type: "declined", data: { agentId: agentOf(task), reason: command.reason } }]);
    case "admit":
      return ok(decideAdmit(task, command, now));
    case "release":
      return ok(decideRelease(task, command, now));
    case "endLease":
      return ok(decideEndLease(task, command.keyId, now));
    case "report":
      return decideReport(task, command.token, command.report, now);
    case "progress":
      return fenced(task, command.attempt, () => {
        const progress = clampProgress(task, command.data.progress);
        return [{ type: "progressed", data: { ...command.data, progress } }];
      });
    case "block":
      return fenced(task, command.attempt, () => [{ type: "blocked", data: command.data }]);
    case "spend":
      return ok([spent(task, command)]);
    case "respond":
      return decideRespond(task, command.response);
    case "submit":
    case "complete": {
      const isReviewed = command.type === "submit" || requiresReview(task);
      const type = isReviewed ? "submitted" : "completed";
      const data = { ...command.outcome, ...paid(command) };
      return fenced(task, command.attempt, () => [{ type, data }]);
    }
    case "review":
      return ok(decideReview(task, command.decision, command.comment));
    case "fail": {
      const data = { error: command.error, ...paid(command) };
      return fenced(task, command.attempt, () => [{ type: "failed", data }]);
    }
    case "cancel":
      return ok([{ type: "cancelled", data: { reason: command.reason } }]);
    case "retry":
      return decideRetry(task, command, now);
    case "update":
      return decideUpdate(task, command.change, now);
    case "rate":
      return ok([{ type: "rated", data: command.feedback }]);
    case "tick":
      return ok(decideTick(task, command.jitter, now));
  }
}

function decideCreate(
  task: Task | null,
  data: TaskEventData["created"],
  now: number,
): Result<NewTaskEvent[], Failure> {
  if (task !== null) {
    const same = task.fingerprint === data.fingerprint;
    return same ? ok([]) : fail({ kind: "idempotency_key_reused" });
  }
  const problems = problemsOf([
    ["deadline", data.deadline === null ? null : checkDeadline(data.deadline, now)],
    ["context", checkJsonSize(data.context, CONTEXT_BYTES_MAX)],
    ...ordersProblems(data.context),
    ["budget", data.budget === null ? null : checkJsonSize(data.budget, BUDGET_BYTES_MAX)],
  ]);
  return problems.length === 0 ? ok([{ type: "created", data }]) : invalidFields(problems);
}

/** The task stays where it is, but for what was spent; that holds for the next attempt, too. */
function spent(
  { progress, currentPhase }: Task,
  used: Extract<TaskCommand, { type: "spend" }>,
): NewTaskEvent {
  const phase = currentPhase ?? "planning";
  const { error } = used;
  const failure = error === undefined ? {} : { error };
  const data = { progress, phase, ...paid(used), work: {}, outside: true, ...failure } as const;
  return { type: "progressed", data };
}

function decideRespond(
  task: Task,
  response: string | JsonObject | null,
): Result<NewTaskEvent[], Failure> {
  const problems = problemsOf([
    ["response", answersProblem(task, response)],
    ...checkBudgetRaise(task, response),
  ]);
  return problems.length === 0
    ? ok([{ type: "responded", data: { response } }])
    : invalidFields(problems);
}

/** All answers of a task together have the size of a context: the agent reads them all each time. */
function answersProblem({ answers }: Task, response: string | JsonObject | null): string | null {
  const all = [...answers.map((answer) => answer.response), response];
  const bytes = all.reduce<number>((sum, one) => sum + jsonSizeOf(one), 0);
  if (bytes <= CONTEXT_BYTES_MAX) return null;
  return `may hold at most ${CONTEXT_BYTES_MAX} bytes as JSON, all answers of the task together, and would hold ${bytes}`;
}

function decideReview(
  task: Task,
  decision: ReviewDecision,
  comment: string | null,
): NewTaskEvent[] {
  if (task.outcome === null) throw new Error("A task in review must hold an outcome");
  switch (decision) {
    case "approve":
      return [
        { type: "approved", data: { comment } },
        { type: "completed", data: { ...task.outcome, calls: [] } },
      ];
    case "request_changes":
      return [{ type: "changes_requested", data: { comment } }];
    case "reject": {
      const message = comment ?? "The reviewer rejected the work.";
      const error: TaskError = { code: "REVIEW_REJECTED", message, retryable: true };
      return [{ type: "failed", data: { error, calls: [] } }];
    }
  }
}

function decideRetry(
  task: Task,
  command: Extract<TaskCommand, { type: "retry" }>,
  now: number,
): Result<NewTaskEvent[], Failure> {
  if (command.attempt !== task.attempt) return fail(illegalTransition(task, "retry"));
  const standing = { status: task.status, allowed: allowedActions(task.status) };
  if (task.attempt >= ATTEMPTS_MAX) {
    return fail({
      kind: "invalid_state",
      action: `retried more than ${ATTEMPTS_MAX} times`,
      ...standing,
    });
  }
  if (task.deadline !== null && task.deadline <= now) {
    return fail({ kind: "deadline_passed", ...standing });
  }
  if (command.reassign && command.choice === null) {
    return fail({ kind: "no_other_agent", ...standing });
  }
  const { reassign, choice, context, notes } = command;
  const problems = problemsOf([
    ["context", contextProblem(task, context)],
    ...ordersProblems(context ?? {}),
    ["notes", notesProblem(task, notes)],
  ]);
  if (problems.length > 0) return invalidFields(problems);
  const attempt = task.attempt + 1;
  return ok([
    ...(notes === undefined ? [] : [{ type: "updated", data: { notes } } as const]),
    { type: "retried", data: { attempt, reassign, choice, context } },
  ]);
}

function decideUpdate(
  task: Task,
  change: TaskEventData["updated"],
  now: number,
): Result<NewTaskEvent[], Failure> {
  const problems = problemsOf([
    ["deadline", change.deadline === undefined ? null : checkDeadline(change.deadline, now)],
    ["context", contextProblem(task, change.context ?? null)],
    ...ordersProblems(change.context ?? {}),
    ["notes", notesProblem(task, change.notes)],
  ]);
  if (problems.length > 0) return invalidFields(problems);
  return ok(isChanged(task, change) ? [{ type: "updated", data: change }] : []);
}

/** Whether an update changes the task. Notes always do: each adds a line. */
function isChanged(
  { priority, deadline, context }: Task,
  change: TaskEventData["updated"],
): boolean {
  return (
    (change.priority ?? priority) !== priority ||
    (change.deadline ?? deadline) !== deadline ||
    change.notes !== undefined ||
    (change.context !== undefined && changesContext(context, change.context))
  );
}

function contextProblem(task: Task, change: JsonObject | null): string | null {
  return change === null
    ? null
    : checkJsonSize(mergeContext(task.context, change), CONTEXT_BYTES_MAX);
}

function ordersProblems(context: JsonObject): (readonly [path: string, message: string | null])[] {
  return checkContextOptions(context).map(([name, problem]) => [`context.${name}`, problem]);
}

function notesProblem(task: Task, notes: string | undefined): string | null {
  if (notes === undefined) return null;
  const length = appendNotes(task, notes).length;
  if (length <= NOTES_TOTAL_CHARACTERS_MAX) return null;
  return `may hold at most ${NOTES_TOTAL_CHARACTERS_MAX} characters in all, and with these would hold ${length}`;
}

function problemsOf(
  checks: readonly (readonly [path: string, message: string | null])[],
): Problem[] {
  return checks.flatMap(([path, message]) => (message === null ? [] : [{ path, message }]));
}

function invalidFields(problems: readonly Problem[]): Result<never, Failure> {
  return fail({ kind: "validation", problems });
}

/** The refusal of a command that the task's status does not allow. */
export function illegalTransition(task: Task, command: TaskCommandType): Failure {
  const { status } = task;
  const kind = command === "rate" ? "task_not_completed" : "invalid_state";
  return { kind, action: ACTION_WORDS[command], status, allowed: allowedActions(status) };
}

/** How a refused command is named to the caller. */
const ACTION_WORDS: Readonly<Record<TaskCommandType, string>> = {
  create: "created",
  assign: "assigned",
  start: "started",
  decline: "declined",
  admit: "begun",
  release: "taken back",
  endLease: "released",
  report: "reported on",
  progress: "advanced",
  block: "blocked",
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
  tick: "advanced",
};

function paid({
  calls,
  use,
}: {
  readonly calls: readonly ToolCall[];
  readonly use?: ModelUsage;
}): Pick<TaskEventData["failed"], "calls" | "use"> {
  return use === undefined ? { calls } : { calls, use };
}

/** A report from an attempt that is over changes nothing. */
function fenced(
  task: Task,
  attempt: number,
  events: () => NewTaskEvent[],
): Result<NewTaskEvent[], Failure> {
  return ok(task.attempt === attempt ? events() : []);
}

function agentOf(task: Task): string {
  if (task.agentId === null) throw new Error(`A task that is ${task.status} must have an agent`);
  return task.agentId;
}
