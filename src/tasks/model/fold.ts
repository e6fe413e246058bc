import { BUILTIN_TERMS, hasQueue } from "../../agents/model/agent.ts";
import { requestedAgentIdOf } from "./assignment.ts";
import { agentFields, INITIAL_ATTEMPT_STATE, startAttempt } from "./attempts.ts";
import {
  declineCauseOf,
  type ProgressCause,
  progressCauseOf,
  type TaskEvent,
  type TaskEventData,
} from "./events.ts";
import { applyBudgetRaise, addSpend } from "./budget.ts";
import { mergeContext } from "./context.ts";
import { updateHandover, selectInheritedWork } from "./visibility.ts";
import { grantLease, renewLease } from "./lease.ts";
import { STORED_BYTES_STEP } from "../limits.ts";
import { affectsQueue } from "./slot.ts";
import { countsTowardsKey, computeFileBytes, computeUncountedBytes } from "./stored-bytes.ts";
import type { BlockAnswer, Deliverable, TaskOutcome, Task } from "./task.ts";
import { updateWorkingTime } from "./working-time.ts";

/** A stored event, and the size of its data in the log. */
export interface StoredEvent {
  readonly event: TaskEvent;
  readonly bytes: number;
}

/** The task of a log; null for an empty log. */
export function fold(events: Iterable<TaskEvent>): Task | null {
  return foldStored(Array.from(events, (event) => ({ event, bytes: null })));
}

/** Like `fold`, but takes the sizes of events from the log. */
export function foldStored(
  stored: Iterable<{ readonly event: TaskEvent; readonly bytes: number | null }>,
): Task | null {
  let task: Task | null = null;
  for (const { event, bytes } of stored) task = applySized(task, event, bytes);
  return task;
}

/** The task after one more event. Trusts the event: `decide` has judged it. */
export function applyEvent(task: Task | null, event: TaskEvent): Task {
  return applySized(task, event, null);
}

function applySized(task: Task | null, event: TaskEvent, bytes: number | null): Task {
  if (event.type === "created") return create(event.data, event.seq, event.at);
  if (task === null) throw new Error(`A log must begin with "created", not "${event.type}"`);
  const unlistedBytes = task.bytesSinceDirectoryVersion + computeUncountedBytes(task, event, bytes);
  const isUpdated = isListed(task, event) || unlistedBytes >= STORED_BYTES_STEP;
  const queueVersion = affectsQueue(event) ? event.seq : task.queueVersion;
  const after = {
    ...task,
    ...changes(task, event),
    seq: event.seq,
    directoryVersion: isUpdated ? event.seq : task.directoryVersion,
    bytesSinceDirectoryVersion: isUpdated ? 0 : unlistedBytes,
    queueVersion,
    fileBytes: computeFileBytes(task, event),
    updatedAt: event.at,
  };
  return Object.assign(after, updateWorkingTime(after, event.at), updateHandover(after));
}

/**
 * The task after the next event that a reader sees; null if events in between are missing. A key bound to an
 * agent does not see the events of other agents before its agent got the task back.
 */
export function applyIfNext(task: Task, event: TaskEvent): Task | null {
  return event.seq === task.seq + 1 ? applyEvent(task, event) : null;
}

function create(data: TaskEventData["created"], seq: number, at: number): Task {
  return {
    seq,
    directoryVersion: seq,
    bytesSinceDirectoryVersion: 0,
    status: "pending",
    task: data.task,
    ...agentFields(data.choice),
    requestedAgentId: requestedAgentIdOf(data.choice),
    lastAgentId: data.choice?.agentId ?? null,
    assignedSinceSeq: 0,
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
    createdAt: at,
    attempt: 1,
    attempts: [],
    automaticRetries: 0,
    releaseCount: 0,
    excludedAgentIds: [],
    ...INITIAL_ATTEMPT_STATE,
    spend: { cost: 0, toolCalls: 0 },
    tokens: { input: 0, output: 0 },
    fileBytes: 0,
    queueVersion: seq,
    lastStepAt: at,
    updatedAt: at,
    notes: null,
    cancelReason: null,
    feedback: null,
  };
}

/** Whether an event itself updates the directory. Progress does so only if it adds a file that counts towards a key's limit. */
function isListed({ createdBy }: Task, event: TaskEvent): boolean {
  if (event.type !== "progressed") return true;
  return event.data.file !== undefined && countsTowardsKey(createdBy);
}

function changes(task: Task, event: Exclude<TaskEvent, { type: "created" }>): Partial<Task> {
  const { at, seq } = event;
  switch (event.type) {
    case "assigned": {
      const { terms = BUILTIN_TERMS, ...choice } = event.data;
      const work = selectInheritedWork(task, choice.agentId, terms);
      return { status: "assigned", ...agentFields(choice), terms, work, lastStepAt: at };
    }
    case "declined":
      return { ...applyDecline(task, event.data), lastStepAt: at };
    case "started":
      return {
        status: "in_progress",
        releaseCount: 0,
        startedAt: at,
        currentPhase: "planning",
        ...opened(event.data, seq, at),
      };
    case "resumed":
      return opened(event.data, seq, at);
    case "progressed":
      if (isOutsideSteps(progressCauseOf(event.data))) return paid(task, event.data);
      return {
        progress: event.data.progress,
        currentPhase: event.data.phase,
        work: { ...task.work, ...event.data.work },
        files: withFile(task.files, event.data.file),
        lease: task.lease === null ? null : renewLease(task.lease, at),
        ...paid(task, event.data),
        lastStepAt: at,
      };
    case "blocked":
      return {
        status: "blocked",
        blocked: { kind: event.data.kind, question: event.data.question, since: at },
        work: { ...task.work, ...event.data.work },
        ...paid(task, event.data),
        workStartSeq: 0,
        lastStepAt: at,
      };
    case "responded":
      return {
        status: "in_progress",
        workStartSeq: hasQueue(task.terms) ? 0 : seq,
        blocked: null,
        budget:
          task.blocked?.kind === "budget"
            ? applyBudgetRaise(task.budget, event.data.response)
            : task.budget,
        answers: [...task.answers, ...answer(task, event.data)],
        lastStepAt: at,
      };
    case "submitted":
      return {
        status: "review",
        outcome: outcome(event.data),
        ...paid(task, event.data),
        round: task.round + 1,
        workStartSeq: 0,
        lastStepAt: at,
      };
    case "approved":
      return {};
    case "changes_requested":
      return {
        status: "in_progress",
        currentPhase: "drafting",
        workStartSeq: hasQueue(task.terms) ? 0 : seq,
        outcome: null,
        reviewComments: withComment(task.reviewComments, event.data.comment),
        lastStepAt: at,
      };
    case "completed":
      return {
        status: "completed",
        progress: 100,
        outcome: outcome(event.data),
        ...paid(task, event.data),
        workStartSeq: 0,
        endedAt: at,
      };
    case "failed":
      return {
        status: "failed",
        error: event.data.error,
        ...paid(task, event.data),
        workStartSeq: 0,
        blocked: null,
        outcome: null,
        endedAt: at,
      };
    case "cancelled":
      return {
        status: "cancelled",
        cancelReason: event.data.reason,
        workStartSeq: 0,
        blocked: null,
        outcome: null,
        endedAt: at,
      };
    case "retried":
      return startAttempt(task, event.data, at);
    case "updated":
      return {
        ...(event.data.priority === undefined ? {} : { priority: event.data.priority }),
        ...(event.data.deadline === undefined ? {} : { deadline: event.data.deadline }),
        ...(event.data.context === undefined
          ? {}
          : { context: mergeContext(task.context, event.data.context) }),
        ...(event.data.notes === undefined ? {} : { notes: appendNotes(task, event.data.notes) }),
      };
    case "rated":
      return { feedback: event.data };
  }
}

function applyDecline(task: Task, data: TaskEventData["declined"]): Partial<Task> {
  switch (declineCauseOf(data)) {
    case "returned": {
      const lease = task.lease === null ? null : { ...task.lease, isReturned: true as const };
      return { workStartSeq: 0, lease, work: { ...task.work, ...data.work } };
    }
    case "taken_back":
      return { status: "pending", ...agentFields(null), releaseCount: task.releaseCount + 1 };
    case "declined": {
      const excludedAgentIds = [...task.excludedAgentIds, data.agentId];
      return { status: "pending", ...agentFields(null), excludedAgentIds };
    }
  }
}

function isOutsideSteps(cause: ProgressCause): boolean {
  return cause === "usage" || cause === "failed_try";
}

/** The agent is at work from this event on. */
function opened({ lease }: TaskEventData["started"], seq: number, at: number): Partial<Task> {
  return {
    workStartSeq: seq,
    lease: lease === undefined ? null : grantLease(lease, seq, at),
    lastStepAt: at,
  };
}

/** What a step has used is used, whatever comes of it. */
function paid(
  task: Task,
  { calls, use }: Pick<TaskEventData["completed"], "calls" | "use">,
): Pick<Task, "spend" | "tokens"> {
  const { input, output } = task.tokens;
  return {
    spend: addSpend(task.spend, calls, use),
    tokens:
      use === undefined
        ? task.tokens
        : { input: input + use.inputTokens, output: output + use.outputTokens },
  };
}

function withFile(
  files: readonly Deliverable[],
  file: Deliverable | undefined,
): readonly Deliverable[] {
  if (file === undefined) return files;
  return [...files.filter(({ name }) => name !== file.name), file];
}

function outcome({ result, quality, deliverables }: TaskOutcome): TaskOutcome {
  return { result, quality, deliverables };
}

function answer(task: Task, { response }: TaskEventData["responded"]): BlockAnswer[] {
  return task.blocked === null ? [] : [{ question: task.blocked.question, response }];
}

function withComment(comments: readonly string[], comment: string | null): readonly string[] {
  return comment === null ? comments : [...comments, comment];
}

/** The notes of a task with more of them: a line each. */
export function appendNotes(task: Pick<Task, "notes">, notes: string): string {
  return task.notes === null ? notes : `${task.notes}\n${notes}`;
}
