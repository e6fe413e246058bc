import { isDeepStrictEqual } from "node:util";
import type { TaskCommand, WorkerReport } from "../../../../src/tasks/model/command.ts";
import { hasQueue } from "../../../../src/agents/model/agent.ts";
import { mergeContext } from "../../../../src/tasks/model/fields.ts";
import type { TaskEventType } from "../../../../src/tasks/model/events.ts";
import type { Failure } from "../../../../src/kernel/failure.ts";
import { ATTEMPTS_MAX, AUTOMATIC_ATTEMPTS_MAX } from "../../../../src/tasks/limits.ts";
import { errorOf, outcomeOf, type Task, blockOf } from "../../../../src/tasks/model/task.ts";
import {
  EXPECTED_TRANSITIONS,
  effectiveStatusOf,
  type CommandName,
  type AgentKind,
  type EffectiveStatus,
} from "../transition-table.ts";
import { withAllFields } from "../all-fields.ts";

/**
 * A command's expected result: a rejection of this kind, or these events and the resulting status.
 */
export type Prediction =
  | { readonly rejected: Failure["kind"] }
  | { readonly recorded: readonly TaskEventType[]; readonly to: EffectiveStatus };

type Asked = Exclude<TaskCommand, { type: "create" }>;

const DAY_MS = 86_400_000;

/**
 * Predicts a command's result from the handwritten table and from rules that the table cannot
 * express. Sizes are ignored: the model predicts success even if oversized data will be rejected as
 * `validation`.
 */
export function predict(before: Task, command: Asked, now: number): Prediction {
  const kind = kindOf(before);
  const status = effectiveStatusOf(before);
  const name = command.type === "report" ? reportName(command.report) : nameOf(command);
  const cell = EXPECTED_TRANSITIONS[kind][name][status];
  if (cell === undefined) {
    return { rejected: command.type === "rate" ? "task_not_completed" : "invalid_state" };
  }
  const stays: Prediction = { recorded: [], to: status };
  if (command.type === "expire") return afterTime(before, status, now);
  if (command.type === "report") {
    const { token, report } = command;
    if (!isHeldBy(before, token, now)) {
      return isRepeat(before, token, report, now) ? stays : { rejected: "lease_lost" };
    }
    // Negated, so that NaN also counts as invalid.
    if (report.type === "progress" && !(report.progress >= before.progress)) {
      return { rejected: "validation" };
    }
  }
  const rejected = rejectionOf(before, command, now);
  if (rejected !== null) return { rejected };
  if (command.type === "settleApproval") return afterSettlement(before, command, status, kind);
  if (typeof cell === "string" || isForAnother(before, command)) return stays;
  if (command.type === "admit" && (command.grant === null) === (kind === "worker")) {
    return predict(before, { type: "release", agentId: command.agentId, reason: "" }, now);
  }
  if (command.type === "block" && awaitsNothing(before, command.data.approvalIds))
    return { recorded: ["progressed"], to: status };
  const [to, ...recorded] = cell;
  if ((name === "complete" || name === "reportCompleted") && isReviewed(before)) {
    return { recorded: ["submitted"], to: "review" };
  }
  if (command.type === "update" && changesAgent(before, command)) {
    return { recorded, to: "pending" };
  }
  const isNoted = command.type === "retry" && command.notes !== undefined;
  return { recorded: isNoted ? ["updated", ...recorded] : recorded, to };
}

function kindOf({ terms }: Task): AgentKind {
  if (terms.executor === "worker") return "worker";
  return hasQueue(terms) ? "queued" : "unqueued";
}

function nameOf(command: Exclude<Asked, { type: "report" }>): CommandName {
  if (command.type !== "review") return command.type;
  return command.decision === "request_changes" ? "requestChanges" : command.decision;
}

const REPORT_NAMES = {
  heartbeat: "reportHeartbeat",
  progress: "reportProgress",
  blocked: "reportBlocked",
  review: "reportReview",
  completed: "reportCompleted",
  failed: "reportFailed",
  released: "reportReleased",
  file: "reportFile",
} as const satisfies Record<WorkerReport["type"], CommandName>;

function reportName({ type }: WorkerReport): CommandName {
  return REPORT_NAMES[type];
}

/** Returns the failure of a command that is rejected even though the status allows it, or null. */
function rejectionOf(before: Task, command: Asked, now: number): Failure["kind"] | null {
  if (command.type === "retry") {
    if (command.attempt !== before.attempt || before.attempt >= ATTEMPTS_MAX)
      return "invalid_state";
    if (before.deadline !== null && before.deadline <= now) return "deadline_passed";
    return command.reassign && command.choice === null ? "no_other_agent" : null;
  }
  if (command.type === "respond" && blockOf(before)?.approvalIds !== undefined)
    return "task_awaits_approval";
  if (command.type === "respond")
    return lowersLimit(before, command.response) ? "validation" : null;
  if (command.type !== "update") return null;
  const isUnstarted = before.status === "pending" || before.status === "assigned";
  if (changesAgent(before, command) && !isUnstarted) return "invalid_state";
  const ahead = (command.change.deadline ?? now + 1) - now;
  // Five calendar years contain one or two leap days.
  return ahead <= 0 || ahead > (5 * 365 + 2) * DAY_MS ? "validation" : null;
}

/** Whether an answer to a budget question contains limits but lowers one of them or raises none. */
function lowersLimit(
  task: Task,
  response: Extract<Asked, { type: "respond" }>["response"],
): boolean {
  const { budget, spend } = task;
  if (blockOf(task)?.kind !== "budget" || response === null || typeof response === "string")
    return false;
  const pairs = [
    [response["maxCost"], budget?.maxCost, spend.cost],
    [response["maxToolCalls"], budget?.maxToolCalls, spend.toolCalls],
  ] as const;
  const given = pairs.filter(([after]) => after !== undefined);
  const isLower = given.some(([after, before, spent]) =>
    before === undefined ? Number(after) <= spent : Number(after) < before,
  );
  const mayRise = pairs.some(([, before]) => before !== undefined);
  const rises = given.some(([after, before]) => before !== undefined && Number(after) > before);
  return isLower || (given.length > 0 && mayRise && !rises);
}

/**
 * Whether a command changes nothing because it is for an earlier attempt or another agent, or
 * because it sets current values.
 */
function isForAnother(before: Task, command: Asked): boolean {
  switch (command.type) {
    case "update": {
      const { priority, deadline, context = {}, notes } = command.change;
      return (
        !changesAgent(before, command) &&
        notes === undefined &&
        (priority ?? before.priority) === before.priority &&
        (deadline ?? before.deadline) === before.deadline &&
        isDeepStrictEqual(mergeContext(before.context, context), before.context)
      );
    }
    case "assign":
      return before.agentId !== null && command.choice.agentId !== before.agentId;
    case "admit":
    case "release":
      return command.agentId !== before.agentId;
    case "requestApproval":
      return (
        command.attempt !== before.attempt ||
        before.approvals.some((one) => one.approvalId === command.data.approvalId)
      );
    case "endLease":
      return command.keyId !== before.lease?.keyId;
    case "hold":
    case "progress":
    case "block":
    case "submit":
    case "complete":
    case "fail":
      return command.attempt !== before.attempt;
    default:
      return false;
  }
}

/** A pending approval is settled in any status. The last one that the task waits for ends the wait. */
function afterSettlement(
  before: Task,
  { settlement }: Extract<Asked, { type: "settleApproval" }>,
  status: EffectiveStatus,
  kind: AgentKind,
): Prediction {
  const { approvalId } = settlement;
  const isPending = before.approvals.some(
    (one) => one.approvalId === approvalId && one.status === "pending",
  );
  if (!isPending) return { recorded: [], to: status };
  const awaited = blockOf(before)?.approvalIds ?? [];
  const open = awaited.filter((id) => isOpen(before, id));
  const isLast = open.length > 0 && open.every((id) => id === approvalId);
  const to = isLast ? (kind === "unqueued" ? "in_progress" : "queued") : status;
  return { recorded: ["call_settled"], to };
}

function awaitsNothing(before: Task, approvalIds: readonly string[] | undefined): boolean {
  return approvalIds !== undefined && !approvalIds.some((id) => isOpen(before, id));
}

function isOpen({ approvals, attempt }: Task, id: string): boolean {
  return approvals.some(
    (one) => one.approvalId === id && one.attempt === attempt && one.status === "pending",
  );
}

function changesAgent(before: Task, { choice }: Extract<Asked, { type: "update" }>): boolean {
  return choice !== undefined && choice.agentId !== before.agentId;
}

/** Predicts the effect of time alone: limits first, then leases. */
function afterTime(before: Task, status: EffectiveStatus, now: number): Prediction {
  const isOver = ["completed", "failed", "cancelled"].includes(status);
  const seconds = before.budget?.maxDurationSeconds ?? Infinity;
  const { workingSince } = withAllFields(before);
  const works = status === "in_progress" && workingSince !== null;
  const budgetEnd = works ? workingSince + seconds * 1_000 - before.workedMs : Infinity;
  if (!isOver && Math.min(before.deadline ?? Infinity, budgetEnd) <= now) {
    return { recorded: ["failed"], to: "failed" };
  }
  if (works && now >= affordedUntil(before)) {
    const asked = costQuestion(before);
    const isRefused = before.answers.some(({ question }) => question === asked);
    return isRefused
      ? { recorded: ["failed"], to: "failed" }
      : { recorded: ["blocked"], to: "blocked" };
  }
  const isHeld = status === "in_progress" && before.lease !== null;
  if (!isHeld || now < (before.lease?.expiresAt ?? Infinity)) return { recorded: [], to: status };
  return before.automaticRetries < AUTOMATIC_ATTEMPTS_MAX - 1
    ? { recorded: ["retried"], to: "pending" }
    : { recorded: ["failed"], to: "failed" };
}

/** The question that a task asks if its budget does not cover the agent's work. */
function costQuestion({ budget }: Task): string {
  return `The budget of $${budget?.maxCost} does not cover more of the agent's work. Answer with a higher limit, such as {"maxCost": 2}, to continue. With any other answer, the attempt fails.`;
}

/** Until when the budget covers the work of an agent that is working. */
function affordedUntil(task: Task): number {
  const { budget, spend, terms, agentId, paidAgentIds } = task;
  const since = withAllFields(task).workingSince ?? Infinity;
  const hasCosts = terms.executor === "worker" || terms.price !== undefined;
  if (budget?.maxCost === undefined || !hasCosts) return Infinity;
  const { perTask, perMinute } = terms.price ?? { perTask: 0, perMinute: 0 };
  const isUnpaid = perTask > 0 && !paidAgentIds.includes(agentId ?? "");
  const left = budget.maxCost - spend.cost;
  if (isUnpaid || (left < 0 && spend.agentCost !== undefined)) return since;
  if (perMinute === 0) return Infinity;
  return since + Math.ceil((Math.max(0, Math.round(left * 1e6)) * 60_000) / (perMinute * 1e6));
}

function isHeldBy(task: Task, token: string, now: number): boolean {
  const isHeld = effectiveStatusOf(task) === "in_progress" && task.terms.executor === "worker";
  return isHeld && task.lease?.token === token && now < task.lease.expiresAt;
}

/** Whether a report repeats the one that ended the holder's work on the task. */
function isRepeat(task: Task, token: string, report: WorkerReport, now: number): boolean {
  if (task.lease?.token !== token || errorOf(task)?.code === "LEASE_EXPIRED") return false;
  switch (report.type) {
    case "heartbeat":
      if (isWaiting(task)) return task.isHeld && now < task.lease.expiresAt;
      return !["pending", "assigned", "in_progress"].includes(task.status);
    case "blocked":
      return task.status === "blocked" && task.blocked?.question === report.question;
    case "review":
      return task.status === "review" && isSame(task.outcome?.result, report.result);
    case "completed":
      return (
        ["review", "completed"].includes(task.status) &&
        isSame(outcomeOf(task)?.result, report.result)
      );
    case "failed":
      return task.status === "failed" && task.error?.message === report.message;
    case "released":
      return task.lease.isReturned === true && isWaiting(task) && now < task.lease.expiresAt;
    default:
      return false;
  }
}

function isWaiting(task: Task): boolean {
  return effectiveStatusOf(task) === "queued";
}

function isSame(one: object | undefined, other: object): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function isReviewed({ terms, round }: Task): boolean {
  return terms.requireReview || round > 0;
}
