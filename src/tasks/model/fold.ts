import { jsonSizeOf } from "../../kernel/json.ts";
import { countsTowardsKey } from "../../keys/model/key.ts";
import {
  agentFields,
  type Deliverable,
  requestedAgentIdOf,
  type BlockAnswer,
  blockOf,
  type Task,
  type TaskBase,
  type TaskOutcome,
} from "./task.ts";
import {
  type TaskEvent,
  declineCauseOf,
  progressCauseOf,
  type TaskEventData,
  type TaskEventOf,
} from "./events.ts";
import { BUILTIN_TERMS } from "../../agents/model/agent.ts";
import { STORED_BYTES_STEP } from "../limits.ts";
import {
  INITIAL_ATTEMPT_STATE,
  changeAgent,
  startAttempt,
  continueWork,
  leaveStatus,
  startWork,
  toQueued,
  updateTurnError,
} from "./attempts.ts";
import { addApproval, settleCall } from "./fold-approvals.ts";
import { withoutAuthor } from "./author.ts";
import { addAgentCost, addModelUsage } from "./agent-cost.ts";
import { addSpend, applyBudgetRaise } from "./budget.ts";
import { computeFileBytes } from "./file-bytes.ts";
import { appendNotes, mergeContext, replacedFields, toLabels } from "./fields.ts";
import { renewLease } from "./lease.ts";
import { excusedAfterFailure, progressFieldsAfter } from "./no-progress.ts";
import { selectInheritedWork, updateHandover } from "./visibility.ts";

/** A stored event and the size of its data in the log. */
export interface StoredEvent {
  readonly event: TaskEvent;
  readonly bytes: number;
}

/** Builds the task from its log; null for an empty log. */
export function fold(events: Iterable<TaskEvent>): Task | null {
  return foldStored(Array.from(events, (event) => ({ event, bytes: null })));
}

/** Like `fold`, but uses the event sizes stored in the log. */
export function foldStored(
  stored: Iterable<{ readonly event: TaskEvent; readonly bytes: number | null }>,
): Task | null {
  let task: Task | null = null;
  for (const { event, bytes } of stored) task = applyEvent(task, event, bytes);
  return task;
}

/**
 * Applies an event without checking it. `bytes`: the size of the event's data in the log; null if the event is not
 * stored yet.
 */
export function applyEvent(task: Task | null, event: TaskEvent, bytes: number | null = null): Task {
  if (event.type === "created") return create(event);
  if (task === null) throw new Error(`A log must begin with "created", not "${event.type}"`);
  const unlistedBytes = task.bytesSinceDirectoryVersion + computeUncountedBytes(task, event, bytes);
  const isUpdated = isListed(task, event) || unlistedBytes >= STORED_BYTES_STEP;
  const changed = change(task, event);
  const after = {
    ...changed,
    ...progressFieldsAfter(task, changed, event),
    seq: event.seq,
    directoryVersion: isUpdated ? event.seq : task.directoryVersion,
    bytesSinceDirectoryVersion: isUpdated ? 0 : unlistedBytes,
    queueVersion: affectsQueue(event) ? event.seq : task.queueVersion,
    fileBytes: computeFileBytes(task, event),
    updatedAt: event.at,
  };
  return Object.assign(after, updateHandover(after));
}

/**
 * Applies an event if it directly follows the task's last event; otherwise returns null. Events can be missing, because
 * a key bound to an agent does not see the events from before the task was reassigned to that agent.
 */
export function applyIfNext(task: Task, event: TaskEvent): Task | null {
  return event.seq === task.seq + 1 ? applyEvent(task, event) : null;
}

/**
 * Whether an event updates the directory row regardless of its size. A progress event does so only if it adds a file
 * that counts towards a key's limit.
 */
function isListed({ createdBy }: Task, event: TaskEvent): boolean {
  if (event.type !== "progressed") return true;
  return event.data.file !== undefined && countsTowardsKey(createdBy);
}

function create({ data, seq, at }: TaskEventOf<"created">): Task<"pending"> {
  return {
    ...INITIAL_ATTEMPT_STATE,
    seq,
    directoryVersion: seq,
    bytesSinceDirectoryVersion: 0,
    queueVersion: seq,
    status: "pending",
    task: data.task,
    title: data.title ?? null,
    labels: toLabels(data.labels),
    externalId: data.externalId ?? null,
    ...agentFields(data.choice),
    requestedAgentId: requestedAgentIdOf(data.choice),
    lastAgentId: data.choice?.agentId ?? null,
    assignedSinceSeq: 0,
    leftAgentId: null,
    terms: BUILTIN_TERMS,
    teamId: data.teamId,
    priority: data.priority,
    deadline: data.deadline,
    deliverableTypes: data.deliverables,
    context: data.context,
    budget: data.budget,
    estimatedCompletion: data.estimatedCompletion,
    estimatedDurationMs: data.estimatedDurationMs,
    createdBy: data.createdBy,
    fingerprint: data.fingerprint,
    shard: data.shard ?? 0,
    contextId: data.contextId ?? null,
    createdAt: at,
    updatedAt: at,
    lastStepAt: at,
    attempt: 1,
    attempts: [],
    excusedAttempts: [],
    automaticRetries: 0,
    releaseCount: 0,
    excludedAgentIds: [],
    spend: { cost: 0, toolCalls: 0 },
    spendAtProgress: { cost: 0, toolCalls: 0, seq },
    isHeld: false,
    paidAgentIds: [],
    dayCosts: [],
    tokens: { input: 0, output: 0 },
    fileBytes: 0,
    approvals: [],
    notes: null,
  };
}

function change(task: Task, event: Exclude<TaskEvent, TaskEventOf<"created">>): Task {
  const { at, seq } = event;
  switch (event.type) {
    case "assigned": {
      const { terms = BUILTIN_TERMS, ...choice } = event.data;
      const work = selectInheritedWork(task, choice.agentId, terms);
      const base = { ...leaveStatus(task, at), ...agentFields(choice), terms, work };
      return { ...base, status: "assigned", leftAgentId: null, lastStepAt: at };
    }
    case "declined":
      return decline(task, event);
    case "started": {
      const base = { ...leaveStatus(task, at), releaseCount: 0, startedAt: at };
      return startWork({ ...base, currentPhase: "planning" }, event);
    }
    case "resumed":
      return startWork(leaveStatus(task, at), event);
    case "progressed":
      return progress(task, event);
    case "blocked": {
      const { kind, question, work, approvalIds } = event.data;
      const awaited = approvalIds === undefined ? {} : { approvalIds };
      return {
        ...addUsage(leaveStatus(task, at), event.data, at),
        status: "blocked",
        blocked: { seq, kind, question, since: at, ...awaited },
        work: { ...task.work, ...work },
        lastStepAt: at,
      };
    }
    case "call_stored":
      return addApproval(task, event);
    case "call_settled":
      return settleCall(task, event);
    case "responded": {
      const { response } = event.data;
      const block = blockOf(task);
      const answers: BlockAnswer[] = block === null ? [] : [{ question: block.question, response }];
      const budget =
        block?.kind === "budget" ? applyBudgetRaise(task.budget, response) : task.budget;
      const base = { ...leaveStatus(task, at), budget, answers: [...task.answers, ...answers] };
      return continueWork(base, seq, at);
    }
    case "submitted":
      return {
        ...addUsage(leaveStatus(task, at), event.data, at),
        status: "review",
        outcome: toOutcome(event.data),
        round: task.round + 1,
        lastStepAt: at,
      };
    case "approved":
      return task;
    case "changes_requested": {
      const { comment } = event.data;
      const comments = comment === null ? [] : [comment];
      const reviewComments = [...task.reviewComments, ...comments];
      const base = { ...leaveStatus(task, at), currentPhase: "drafting", reviewComments };
      return continueWork(base, seq, at);
    }
    case "completed":
      return {
        ...addUsage(leaveStatus(task, at), event.data, at),
        status: "completed",
        progress: 100,
        outcome: toOutcome(event.data),
        feedback: null,
        endedAt: at,
      };
    case "failed": {
      const { error } = event.data;
      const base = addUsage(leaveStatus(task, at), event.data, at);
      const excusedAttempts = excusedAfterFailure(task, error);
      return { ...base, status: "failed", error, endedAt: at, excusedAttempts };
    }
    case "cancelled": {
      const cancelReason = event.data.reason;
      return { ...leaveStatus(task, at), status: "cancelled", cancelReason, endedAt: at };
    }
    case "retried":
      return startAttempt(task, event);
    case "updated": {
      const { context, notes, choice } = event.data;
      const updated = {
        ...task,
        ...replacedFields(task, event.data),
        context: context === undefined ? task.context : mergeContext(task.context, context),
        notes: notes === undefined ? task.notes : appendNotes(task, notes),
      };
      return choice === undefined ? updated : changeAgent(updated, choice, at);
    }
    case "rated":
      return task.status === "completed" ? { ...task, feedback: withoutAuthor(event.data) } : task;
  }
}

function progress(task: Task, event: TaskEventOf<"progressed">): Task {
  const { data, at } = event;
  const cause = progressCauseOf(data);
  if (cause === "failed_try") return addUsage(updateTurnError(task, event), data, at);
  if (cause === "usage") return addUsage(task, data, at);
  return {
    ...addUsage(updateTurnError(task, event), data, at),
    progress: data.progress,
    currentPhase: data.phase,
    work: { ...task.work, ...data.work },
    files: addFile(task.files, data.file),
    lease: task.lease === null ? null : renewLease(task.lease, at),
    lastStepAt: at,
  };
}

function decline(task: Task, { data, at }: TaskEventOf<"declined">): Task {
  const base = { ...addAgentCost(leaveStatus(task, at), data.cost ?? 0, at), lastStepAt: at };
  const cause = declineCauseOf(data);
  if (cause === "returned") {
    const lease = task.lease === null ? null : { ...task.lease, isReturned: true as const };
    const terms = data.paused === true ? { ...task.terms, usesQueue: true as const } : task.terms;
    return { ...toQueued(base), lease, terms, work: { ...task.work, ...data.work } };
  }
  const waiting = { ...base, ...agentFields(null), status: "pending" as const };
  return cause === "taken_back"
    ? { ...waiting, releaseCount: task.releaseCount + 1 }
    : { ...waiting, excludedAgentIds: [...task.excludedAgentIds, data.agentId] };
}

/** Usage is charged regardless of the step's result. */
function addUsage<State extends TaskBase>(
  before: State,
  { calls, use, cost = 0 }: Pick<TaskEventData["completed"], "calls" | "use" | "cost">,
  at: number,
): State {
  const spent = { ...before, spend: addSpend(before.spend, calls, use) };
  return addAgentCost(use === undefined ? spent : addModelUsage(spent, use, at), cost, at);
}

/** Adds a file, replacing any file with the same name. */
function addFile(
  files: readonly Deliverable[],
  file: Deliverable | undefined,
): readonly Deliverable[] {
  return file === undefined ? files : [...files.filter(({ name }) => name !== file.name), file];
}

function toOutcome({ result, quality, deliverables }: TaskOutcome): TaskOutcome {
  return { result, quality, deliverables };
}

/** Whether an event changes what the agent's queue stores about the task. */
export function affectsQueue(event: TaskEvent): boolean {
  switch (event.type) {
    case "progressed":
    case "call_stored":
    case "approved":
    case "rated":
      return false;
    case "updated":
      return [event.data.priority, event.data.deadline, event.data.choice].some(
        (value) => value !== undefined,
      );
    default:
      return true;
  }
}

/**
 * How many bytes of an event are not counted in the directory row until its next update. `bytes`: as in `applyEvent`.
 */
function computeUncountedBytes(
  { createdBy }: Pick<Task, "createdBy">,
  event: TaskEvent,
  bytes: number | null,
): number {
  if (event.type !== "progressed" || !countsTowardsKey(createdBy)) return 0;
  return bytes ?? jsonSizeOf(event.data);
}
