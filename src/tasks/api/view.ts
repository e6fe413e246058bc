import type { DirectoryRow } from "../model/listing.ts";
import { formatDuration, toIsoTime } from "../../kernel/text.ts";
import { toVisibleAttempt } from "../model/visibility.ts";
import { type JsonObject, jsonSizeOf } from "../../kernel/json.ts";
import type { Viewer } from "../../keys/model/key.ts";
import { CONTEXT_INLINE_BYTES_MAX } from "../limits.ts";
import {
  isActive,
  type Deliverable,
  endedAtOf,
  feedbackOf,
  outcomeOf,
  type PastAttempt,
  type Task,
} from "../model/task.ts";
import { waitingMs, workingMs } from "../model/schedule.ts";
import { filterEventData, toEventData } from "../model/event-data.ts";
import type { TaskEvent } from "../model/events.ts";

/** The URL of a task, such as https://bosun.example/agents/tasks/<id>. */
export function taskUrl(origin: string, id: string): string {
  return `${origin}/agents/tasks/${id}`;
}

/** The response to Create task: the task after its first event. */
export function createdTaskView(origin: string, id: string, task: Task): object {
  return {
    ...identity(id, task),
    priority: task.priority,
    ...present("deadline", toIsoTime(task.deadline)),
    estimatedCompletion: toIsoTime(task.estimatedCompletion),
    estimatedDuration: formatDuration(task.estimatedDurationMs),
    deliverables: task.deliverableTypes,
    trackingUrl: taskUrl(origin, id),
    createdAt: toIsoTime(task.createdAt),
  };
}

/** How much of a task's context to show: all, all unless it is large, or only its size. */
export type ContextShown = "whole" | "unless_large" | "size";

/** The viewer of a task, and the current time in milliseconds since 1970. */
export interface ViewOptions {
  readonly viewer: Viewer;
  readonly now: number;
}

/** A whole task, as GET returns it; fields that do not apply (yet) are absent. */
export function taskView(
  origin: string,
  id: string,
  task: Task,
  { viewer, now }: ViewOptions,
  contextShown: ContextShown = "unless_large",
): object {
  return {
    ...identity(id, task),
    priority: task.priority,
    progress: task.progress,
    ...present("currentPhase", task.currentPhase),
    timeline: timeline(task, now),
    ...present("result", outcomeOf(task)?.result ?? null),
    ...present("deliverables", deliverablesOf(origin, id, task)),
    ...present("quality", outcomeOf(task)?.quality ?? null),
    attempt: task.attempt,
    attempts: task.attempts.map((earlier) => attemptView(toVisibleAttempt(viewer, earlier))),
    createdAt: toIsoTime(task.createdAt),
    ...present("deadline", toIsoTime(task.deadline)),
    ...contextView(task.context, contextShown),
    ...present("budget", task.budget),
    ...present("spend", spendView(task)),
    ...present("notes", task.notes),
    ...present("lease", leaseView(task)),
    ...present("blocked", blockedView(task)),
    ...present("error", errorView(task)),
    ...present("cancelReason", task.status === "cancelled" ? task.cancelReason : null),
    ...present("feedback", feedbackOf(task)),
  };
}

/** A task in lists: the fields of its directory row. JSON omits undefined fields. */
export function listedTaskView(row: DirectoryRow): object {
  return {
    taskId: row.id,
    status: row.status,
    task: row.task,
    agentId: row.agentId ?? undefined,
    agentName: row.agentName ?? undefined,
    teamId: row.teamId ?? undefined,
    priority: row.priority,
    deadline: toIsoTime(row.deadline) ?? undefined,
    attempt: row.attempt,
    rating: row.rating ?? undefined,
    createdAt: toIsoTime(row.createdAt),
    startedAt: toIsoTime(row.startedAt) ?? undefined,
    endedAt: toIsoTime(row.endedAt) ?? undefined,
  };
}

export interface DeliverableView {
  readonly type: string;
  readonly name: string;
  readonly url: string;
  readonly size: number;
  readonly createdAt: string;
  readonly sha256?: string;
}

/** A deliverable in responses. Readers of the task download its bytes from `url`. */
export function deliverableView(origin: string, id: string, file: Deliverable): DeliverableView {
  return {
    type: file.type,
    name: file.name,
    url: deliverableUrl(origin, id, file.name),
    size: file.size,
    createdAt: toIsoTime(file.createdAt),
    ...(file.sha256 === undefined ? {} : { sha256: file.sha256 }),
  };
}

function deliverableUrl(origin: string, id: string, name: string): string {
  return `${taskUrl(origin, id)}/deliverables/${encodeURIComponent(name)}`;
}

function identity(id: string, task: Task): object {
  return {
    taskId: id,
    status: task.status,
    task: task.task,
    ...present("agentId", task.agentId),
    ...present("agentName", task.agentName),
    ...present("teamId", task.teamId),
  };
}

function timeline(task: Task, now: number): object {
  const completedAt = task.status === "completed" ? task.endedAt : null;
  const endedAt = endedAtOf(task);
  const durationMs = endedAt === null || task.startedAt === null ? null : endedAt - task.startedAt;
  return {
    createdAt: toIsoTime(task.createdAt),
    ...present("startedAt", toIsoTime(task.startedAt)),
    ...present("completedAt", toIsoTime(completedAt)),
    ...present("duration", durationMs === null ? null : formatDuration(durationMs)),
    ...(task.startedAt === null
      ? {}
      : {
          workingTime: formatDuration(workingMs(task, now)),
          waitingTime: formatDuration(waitingMs(task, now)),
        }),
  };
}

function attemptView(earlier: PastAttempt): object {
  const { attempt, agentId, agentName, error, startedAt, failedAt } = earlier;
  return {
    attempt,
    ...present("agentId", agentId),
    ...present("agentName", agentName),
    error: { ...error, attempt, at: toIsoTime(failedAt) },
    timeline: { ...present("startedAt", toIsoTime(startedAt)), failedAt: toIsoTime(failedAt) },
  };
}

function deliverablesOf(origin: string, id: string, task: Task): object[] | null {
  return outcomeOf(task)?.deliverables.map((file) => deliverableView(origin, id, file)) ?? null;
}

function contextView(context: JsonObject, shown: ContextShown): object {
  const bytes = jsonSizeOf(context);
  const bytesMax = { whole: Infinity, unless_large: CONTEXT_INLINE_BYTES_MAX, size: -1 }[shown];
  return bytes <= bytesMax ? { context } : { contextBytes: bytes };
}

/** The usage of all attempts; `tokens` if a language model worked on the task. */
function spendView({ spend, tokens }: Task): object | null {
  const isModel = tokens.input + tokens.output > 0;
  if (spend.toolCalls === 0 && !isModel) return null;
  return { ...spend, ...(isModel ? { tokens } : {}) };
}

/** The worker that holds the task, without the lease's token. */
function leaseView(task: Task): object | null {
  const { lease } = task;
  if (lease === null || !isActive(task)) return null;
  return { ...present("worker", lease.worker), expiresAt: toIsoTime(lease.expiresAt) };
}

function blockedView(task: Task): object | null {
  return task.status === "blocked"
    ? { ...task.blocked, since: toIsoTime(task.blocked.since) }
    : null;
}

function errorView(task: Task): object | null {
  if (task.status !== "failed") return null;
  return { ...task.error, attempt: task.attempt, at: toIsoTime(task.endedAt) };
}

/** A field that is absent if it has no value. */
function present(name: string, value: unknown): object {
  return value === null ? {} : { [name]: value };
}

export function eventView(event: TaskEvent, viewer: Viewer): object {
  const { seq, type, at } = event;
  const data = filterEventData(viewer, type, toEventData(event));
  return { seq, type, at: toIsoTime(at), data };
}
