import type { EventData, TaskEvent } from "./events.ts";
import { raisedBudget, spendAfter } from "./budget.ts";
import { mergeContext } from "./context.ts";
import type { Answer, Choice, Outcome, Task } from "./task.ts";

/** The task that a log tells, or null for an empty log. */
export function fold(events: Iterable<TaskEvent>): Task | null {
  let task: Task | null = null;
  for (const event of events) task = apply(task, event);
  return task;
}

/** The task after one more event. Trusts the event: `decide` has judged it. */
export function apply(task: Task | null, event: TaskEvent): Task {
  if (event.type === "created") return create(event.data, event.seq, event.at);
  if (task === null) throw new Error(`A log must begin with "created", not "${event.type}"`);
  const listedSeq = event.type === "progressed" ? task.listedSeq : event.seq;
  return { ...task, ...changes(task, event), seq: event.seq, listedSeq, updatedAt: event.at };
}

function create(data: EventData["created"], seq: number, at: number): Task {
  return {
    seq,
    listedSeq: seq,
    status: "pending",
    task: data.task,
    ...chosen(data.choice),
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
    createdAt: at,
    attempt: 1,
    attempts: [],
    excludedAgentIds: [],
    ...FRESH_ATTEMPT,
    spend: { cost: 0, toolCalls: 0 },
    steppedAt: at,
    updatedAt: at,
    notes: null,
    cancelReason: null,
    feedback: null,
  };
}

const FRESH_ATTEMPT = {
  startedAt: null,
  endedAt: null,
  progress: 0,
  currentPhase: null,
  work: {},
  blocked: null,
  answers: [],
  round: 0,
  reviewComments: [],
  outcome: null,
  error: null,
} satisfies Partial<Task>;

function changes(task: Task, event: Exclude<TaskEvent, { type: "created" }>): Partial<Task> {
  const { at } = event;
  switch (event.type) {
    case "assigned":
      return { status: "assigned", ...chosen(event.data), steppedAt: at };
    case "declined":
      return {
        status: "pending",
        ...chosen(null),
        excludedAgentIds: [...task.excludedAgentIds, event.data.agentId],
        steppedAt: at,
      };
    case "started":
      return { status: "in_progress", startedAt: at, currentPhase: "planning", steppedAt: at };
    case "progressed":
      if (event.data.outside) return { spend: spendAfter(task.spend, event.data.calls) };
      return {
        progress: event.data.progress,
        currentPhase: event.data.phase,
        work: { ...task.work, ...event.data.work },
        spend: spendAfter(task.spend, event.data.calls),
        steppedAt: at,
      };
    case "blocked":
      return {
        status: "blocked",
        blocked: { kind: event.data.kind, question: event.data.question, since: at },
        work: { ...task.work, ...event.data.work },
        spend: spendAfter(task.spend, event.data.calls),
        steppedAt: at,
      };
    case "responded":
      return {
        status: "in_progress",
        blocked: null,
        budget:
          task.blocked?.kind === "budget"
            ? raisedBudget(task.budget, event.data.response)
            : task.budget,
        answers: [...task.answers, ...answer(task, event.data)],
        steppedAt: at,
      };
    case "submitted":
      return {
        status: "review",
        outcome: outcome(event.data),
        spend: spendAfter(task.spend, event.data.calls),
        round: task.round + 1,
        steppedAt: at,
      };
    case "approved":
      return {};
    case "changes_requested":
      return {
        status: "in_progress",
        currentPhase: "drafting",
        outcome: null,
        reviewComments: withComment(task.reviewComments, event.data.comment),
        steppedAt: at,
      };
    case "completed":
      return {
        status: "completed",
        progress: 100,
        outcome: outcome(event.data),
        spend: spendAfter(task.spend, event.data.calls),
        endedAt: at,
      };
    case "failed":
      return {
        status: "failed",
        error: event.data.error,
        spend: spendAfter(task.spend, event.data.calls),
        blocked: null,
        outcome: null,
        endedAt: at,
      };
    case "cancelled":
      return {
        status: "cancelled",
        cancelReason: event.data.reason,
        blocked: null,
        outcome: null,
        endedAt: at,
      };
    case "retried":
      return retry(task, event.data, at);
    case "updated":
      return {
        ...(event.data.priority === undefined ? {} : { priority: event.data.priority }),
        ...(event.data.deadline === undefined ? {} : { deadline: event.data.deadline }),
        ...(event.data.context === undefined
          ? {}
          : { context: mergeContext(task.context, event.data.context) }),
        ...(event.data.notes === undefined ? {} : { notes: joinNotes(task, event.data.notes) }),
      };
    case "rated":
      return { feedback: event.data };
  }
}

function retry(task: Task, data: EventData["retried"], at: number): Partial<Task> {
  if (task.error === null) throw new Error("A log may hold retried only after failed");
  const earlier = {
    attempt: task.attempt,
    agentId: task.agentId,
    agentName: task.agentName,
    error: task.error,
    startedAt: task.startedAt,
    failedAt: task.endedAt ?? at,
  };
  const attempts = [...task.attempts, earlier];
  const earlierAgents = attempts.flatMap(({ agentId }) => (agentId === null ? [] : [agentId]));
  return {
    ...FRESH_ATTEMPT,
    status: "pending",
    attempt: data.attempt,
    attempts,
    ...chosen(data.choice),
    excludedAgentIds: data.reassign ? [...new Set(earlierAgents)] : [],
    context: data.context === null ? task.context : mergeContext(task.context, data.context),
    steppedAt: at,
  };
}

function chosen(choice: Choice | null): Pick<Task, "agentId" | "agentName" | "choice"> {
  return { agentId: choice?.agentId ?? null, agentName: choice?.agentName ?? null, choice };
}

function outcome({ result, quality, deliverables }: Outcome): Outcome {
  return { result, quality, deliverables };
}

function answer(task: Task, { response }: EventData["responded"]): Answer[] {
  return task.blocked === null ? [] : [{ question: task.blocked.question, response }];
}

function withComment(comments: readonly string[], comment: string | null): readonly string[] {
  return comment === null ? comments : [...comments, comment];
}

/** The notes of a task with more of them: a line each. */
export function joinNotes(task: Pick<Task, "notes">, notes: string): string {
  return task.notes === null ? notes : `${task.notes}\n${notes}`;
}
