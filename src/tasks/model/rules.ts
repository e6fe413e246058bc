import type { Failure } from "../../kernel/failure.ts";
import { LEASE_BACKOFF_MS } from "../limits.ts";
import { withAuthor } from "./author.ts";
import { type CommandName, type NamedCommands, usageOf } from "./command.ts";
import type { TaskEventData, TaskEventType } from "./events.ts";
import {
  EXECUTOR_CHANGED,
  startWork,
  finish,
  failReported,
  finishReported,
  returnTask,
  clampProgress,
  costOf,
  phaseOf,
  agentOf,
} from "./event-builders.ts";
import {
  awaitsSettledApprovals,
  changesAgent,
  changesTask,
  effectiveChange,
  fitsChoice,
  fitsExecutor,
  hasLeaseRetries,
  hasNoQueue,
  isCostUncovered,
  isCurrentAttempt,
  isExpired,
  isLastAwaited,
  isLeasedWithKey,
  isLeaseExpired,
  isNewApproval,
  isPendingApproval,
  isQuestion,
  isQueuedFor,
  isRaiseRefused,
  keepsAgent,
  repeatedReport,
  requiresReview,
  validFile,
  validLease,
  validProgress,
  validResponse,
  validRetry,
  validUpdate,
  validWork,
} from "./guards.ts";
import { automaticRetry, restart, returnToPaused, takeBack } from "./returns.ts";
import { outcomeOf, type Task, type TaskError } from "./task.ts";
import { agentCostError, agentCostQuestion } from "./agent-cost.ts";
import { agentError, leaseError, limitError } from "./attempts.ts";
import type { CheckName, ChecksOf, EventsOf, GuardName, GuardsOf } from "./transitions.ts";

type Check<Command> = (task: Task, command: Command, now: number) => Failure | null;
type Guard<Command> = (task: Task, command: Command, now: number) => boolean;
export type EventBuilder<Command, Type extends TaskEventType> = (
  task: Task,
  command: Command,
  now: number,
) => TaskEventData[Type];

/** The implementations of the checks, guards and events that a command's transitions name. */
export interface Rules<Command> {
  readonly requires?: { readonly [Name in CheckName]?: Check<Command> };
  readonly when?: { readonly [Name in GuardName]?: Guard<Command> };
  readonly events?: { readonly [Type in TaskEventType]?: EventBuilder<Command, Type> };
}

/** A command's rules, with exactly the names that its transitions use. */
type CompleteRules<Name extends CommandName> = Group<
  "requires",
  Record<ChecksOf<Name>, Check<NamedCommands[Name]>>
> &
  Group<"when", Record<GuardsOf<Name>, Guard<NamedCommands[Name]>>> &
  Group<"events", { [Type in EventsOf<Name>]: EventBuilder<NamedCommands[Name], Type> }>;
type Group<Key extends string, Functions> = [keyof Functions] extends [never]
  ? unknown
  : { readonly [K in Key]: Functions };

type RulesByName = { readonly [Name in CommandName]: Rules<NamedCommands[Name]> };

export const RULES: RulesByName = {
  assign: {
    when: { fitsChoice },
    events: { assigned: (_, { choice, terms }) => ({ ...choice, terms }) },
  },
  start: { when: { hasNoQueue }, events: { started: (task) => ({ agentId: agentOf(task) }) } },
  decline: {
    events: {
      declined: (task, { reason }) => ({ cause: "declined", agentId: agentOf(task), reason }),
    },
  },
  admit: {
    when: { isQueuedFor, fitsExecutor },
    events: {
      started: startWork,
      resumed: startWork,
      declined: (_, { agentId }) => takeBack(agentId, EXECUTOR_CHANGED),
      retried: (task, _, now) => restart(task, EXECUTOR_CHANGED, now),
    },
  },
  release: {
    when: { isQueuedFor },
    events: {
      declined: (_, { agentId, reason }) => takeBack(agentId, reason),
      retried: (task, { reason }, now) => restart(task, reason, now),
    },
  },
  endLease: {
    when: { isLeasedWithKey },
    events: {
      retried: (task, _, now) => {
        const worker = task.lease?.worker ?? null;
        const key = worker === null ? "The worker's key" : `The key of worker ${worker}`;
        const message = `${key} was revoked or has expired.`;
        const lost = { error: agentError(message), notBefore: now };
        return automaticRetry(task, "key_ended", task.choice, lost);
      },
    },
  },
  hold: {
    when: { isCurrentAttempt },
    events: { declined: (task, { work }) => returnToPaused(agentOf(task), work) },
  },
  progress: {
    when: { isCurrentAttempt },
    events: {
      progressed: (task, { data }) => {
        return { ...data, cause: "step", progress: clampProgress(task, data.progress) };
      },
    },
  },
  requestApproval: {
    when: { isCurrentAttempt, isNewApproval },
    events: { call_stored: (_, { data }) => data },
  },
  settleApproval: {
    when: { isPendingApproval, isLastAwaited, hasNoQueue },
    events: {
      call_settled: (_, { settlement: { result, ...settlement } }) =>
        result === null ? settlement : { ...settlement, result },
    },
  },
  block: {
    when: { isCurrentAttempt, awaitsSettledApprovals },
    events: {
      blocked: (_, { data }) => data,
      progressed: (task, { data: { work, ...data } }) => {
        return { progress: task.progress, phase: phaseOf(task), ...usageOf(data), work };
      },
    },
  },
  spend: {
    events: {
      progressed: ({ progress, currentPhase }, command) => ({
        cause: command.error === undefined ? "usage" : "failed_try",
        progress,
        phase: currentPhase ?? "planning",
        ...usageOf(command),
        work: {},
        outside: true,
        ...(command.error === undefined ? {} : { error: command.error }),
      }),
    },
  },
  respond: {
    requires: { isQuestion, validResponse },
    when: { hasNoQueue },
    events: { responded: (_, command) => withAuthor({ response: command.response }, command) },
  },
  submit: { when: { isCurrentAttempt }, events: { submitted: finish } },
  complete: {
    when: { isCurrentAttempt, requiresReview },
    events: { submitted: finish, completed: finish },
  },
  "review.approve": {
    events: {
      approved: (_, command) => withAuthor({ comment: command.comment }, command),
      completed: (task) => {
        const outcome = outcomeOf(task);
        if (outcome === null) throw new Error("A task in review must have an outcome");
        return { ...outcome, calls: [] };
      },
    },
  },
  "review.request_changes": {
    when: { hasNoQueue },
    events: {
      changes_requested: (_, command) => withAuthor({ comment: command.comment }, command),
    },
  },
  "review.reject": {
    events: {
      failed: (_, command) => {
        const message = command.comment ?? "The reviewer rejected the work.";
        const error: TaskError = { code: "REVIEW_REJECTED", message, retryable: true };
        return withAuthor({ error, calls: [] }, command);
      },
    },
  },
  fail: {
    when: { isCurrentAttempt },
    events: { failed: (_, command) => ({ error: command.error, ...usageOf(command) }) },
  },
  cancel: {
    events: { cancelled: (_, command) => withAuthor({ reason: command.reason }, command) },
  },
  retry: {
    requires: { validRetry },
    when: { hasNotes: (_, { notes }) => notes !== undefined },
    events: {
      updated: (_, command) => {
        const { notes } = command;
        return withAuthor(notes === undefined ? {} : { notes }, command);
      },
      retried: (task, command) => {
        const { reassign, choice, context } = command;
        const attempt = task.attempt + 1;
        return withAuthor({ cause: "requested", attempt, reassign, choice, context }, command);
      },
    },
  },
  update: {
    requires: { keepsAgent, validUpdate },
    when: { changesAgent, changesTask },
    events: { updated: (task, command) => withAuthor(effectiveChange(task, command), command) },
  },
  rate: { events: { rated: (_, command) => withAuthor(command.feedback, command) } },
  expire: {
    when: { isExpired, isCostUncovered, isRaiseRefused, isLeaseExpired, hasLeaseRetries },
    events: {
      failed: (task, command, now) => {
        if (isExpired(task, command, now)) return { error: limitError(task), calls: [] };
        const isUncovered = isCostUncovered(task, command, now);
        return { error: isUncovered ? agentCostError(task.budget) : leaseError(task), calls: [] };
      },
      blocked: ({ budget }) => {
        return { kind: "budget", question: agentCostQuestion(budget), calls: [], work: {} };
      },
      retried: (task, { jitter }, now) => {
        const pauseMs = LEASE_BACKOFF_MS * 2 ** task.automaticRetries * ((1 + jitter) / 2);
        const notBefore = now + Math.round(pauseMs);
        const lost = { error: leaseError(task), notBefore };
        return automaticRetry(task, "lease_expired", task.choice, lost);
      },
    },
  },
  "report.heartbeat": { requires: { validLease, repeatedReport } },
  "report.progress": {
    requires: { validLease, validProgress, validWork },
    events: {
      progressed: (task, { report }) => ({
        cause: "step",
        progress: clampProgress(task, report.progress),
        phase: report.phase ?? phaseOf(task),
        calls: [],
        work: report.work ?? {},
        ...costOf(report),
      }),
    },
  },
  "report.file": {
    requires: { validLease, validFile },
    events: {
      progressed: (task, { report: { file } }) => {
        const { progress } = task;
        return { cause: "file", progress, phase: phaseOf(task), calls: [], work: {}, file };
      },
    },
  },
  "report.blocked": {
    requires: { validLease, validWork, repeatedReport },
    events: {
      blocked: (_, { report }) => ({
        kind: report.kind,
        question: report.question,
        calls: [],
        work: report.work ?? {},
        ...costOf(report),
      }),
    },
  },
  "report.review": {
    requires: { validLease, repeatedReport },
    events: { submitted: finishReported },
  },
  "report.completed": {
    requires: { validLease, repeatedReport },
    when: { requiresReview },
    events: { submitted: finishReported, completed: finishReported },
  },
  "report.failed": {
    requires: { validLease, repeatedReport },
    events: { failed: failReported },
  },
  "report.released": {
    requires: { validLease, validWork, repeatedReport },
    events: { declined: returnTask },
  },
} satisfies { [Name in CommandName]: CompleteRules<Name> };
