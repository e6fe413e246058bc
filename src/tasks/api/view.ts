import { renewedAtOf } from "../model/lease.ts";
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
  type TaskLabels,
} from "../model/task.ts";
import { waitingMs, workingMs } from "../model/schedule.ts";
import { waitingFor } from "../model/waiting.ts";
import { filterEventData, toEventData } from "../model/event-data.ts";
import type { TaskEvent } from "../model/events.ts";
import type { DeliverableResponse } from "./deliverable-schemas.ts";
import type { TaskEventResponse } from "./event-schemas.ts";
import { listedStateView, spendView, waitView } from "./state-view.ts";
import type { CreatedTaskResponse, ListedTaskResponse, TaskResponse } from "./task-schemas.ts";

/** The URL of a task, such as https://bosun.example/agents/tasks/<id>. */
export function taskUrl(origin: string, id: string): string {
  return `${origin}/agents/tasks/${id}`;
}

/** The response to a request that creates a task. */
export function createdTaskView(origin: string, id: string, task: Task): CreatedTaskResponse {
  return {
    ...identity(id, task),
    status: "pending",
    priority: task.priority,
    deadline: toIsoTime(task.deadline) ?? undefined,
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

/** A complete task, as GET returns it. JSON omits undefined fields, which do not apply or do not apply yet. */
export function taskView(
  origin: string,
  id: string,
  task: Task,
  { viewer, now }: ViewOptions,
  contextShown: ContextShown = "unless_large",
): TaskResponse {
  const outcome = outcomeOf(task);
  return {
    ...identity(id, task),
    priority: task.priority,
    progress: task.progress,
    currentPhase: task.currentPhase ?? undefined,
    timeline: timeline(task, now),
    result: outcome?.result,
    deliverables: outcome?.deliverables.map((file) => deliverableView(origin, id, file)),
    quality: outcome?.quality ?? undefined,
    attempt: task.attempt,
    attempts: task.attempts.map((earlier) => attemptView(toVisibleAttempt(viewer, earlier))),
    createdAt: toIsoTime(task.createdAt),
    deadline: toIsoTime(task.deadline) ?? undefined,
    ...contextView(task.context, contextShown),
    budget: task.budget ?? undefined,
    spend: spendView(task),
    notes: task.notes ?? undefined,
    lease: leaseView(task),
    blocked: blockedView(task),
    error: errorView(task),
    cancelReason: task.status === "cancelled" ? (task.cancelReason ?? undefined) : undefined,
    feedback: feedbackOf(task) ?? undefined,
    waitingFor: waitView(waitingFor(task, now)),
  };
}

/** A task in lists, with the fields of its directory row. `now`: in milliseconds since 1970. */
export function listedTaskView(row: DirectoryRow, now: number): ListedTaskResponse {
  return {
    taskId: row.id,
    status: row.status,
    task: row.task,
    title: row.title ?? undefined,
    labels: row.labels === null ? undefined : parseLabels(row.labels),
    externalId: row.externalId ?? undefined,
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
    ...listedStateView(row, now),
  };
}

/** The labels in a directory row, which `toDirectoryRow` wrote. */
function parseLabels(labels: string): TaskLabels {
  return JSON.parse(labels);
}

/** A deliverable in responses. Keys that can read the task can download the file from `url`. */
export function deliverableView(
  origin: string,
  id: string,
  file: Deliverable,
): DeliverableResponse {
  return {
    type: file.type,
    name: file.name,
    url: `${taskUrl(origin, id)}/deliverables/${encodeURIComponent(file.name)}`,
    size: file.size,
    createdAt: toIsoTime(file.createdAt),
    sha256: file.sha256,
  };
}

function identity(id: string, task: Task) {
  return {
    taskId: id,
    status: task.status,
    task: task.task,
    title: task.title ?? undefined,
    labels: task.labels ?? undefined,
    externalId: task.externalId ?? undefined,
    agentId: task.agentId ?? undefined,
    agentName: task.agentName ?? undefined,
    teamId: task.teamId ?? undefined,
  };
}

function timeline(task: Task, now: number): TaskResponse["timeline"] {
  const { startedAt } = task;
  const completedAt = task.status === "completed" ? task.endedAt : null;
  const endedAt = endedAtOf(task);
  const durationMs = endedAt === null || startedAt === null ? null : endedAt - startedAt;
  return {
    createdAt: toIsoTime(task.createdAt),
    startedAt: toIsoTime(startedAt) ?? undefined,
    completedAt: toIsoTime(completedAt) ?? undefined,
    duration: durationMs === null ? undefined : formatDuration(durationMs),
    workingTime: startedAt === null ? undefined : formatDuration(workingMs(task, now)),
    waitingTime: startedAt === null ? undefined : formatDuration(waitingMs(task, now)),
  };
}

function attemptView(earlier: PastAttempt): TaskResponse["attempts"][number] {
  const { attempt, agentId, agentName, error, startedAt, failedAt } = earlier;
  return {
    attempt,
    agentId: agentId ?? undefined,
    agentName: agentName ?? undefined,
    error: { ...error, attempt, at: toIsoTime(failedAt) },
    timeline: { startedAt: toIsoTime(startedAt) ?? undefined, failedAt: toIsoTime(failedAt) },
  };
}

function contextView(
  context: JsonObject,
  shown: ContextShown,
): Pick<TaskResponse, "context" | "contextBytes"> {
  const bytes = jsonSizeOf(context);
  const bytesMax = { whole: Infinity, unless_large: CONTEXT_INLINE_BYTES_MAX, size: -1 }[shown];
  return bytes <= bytesMax ? { context } : { contextBytes: bytes };
}

/** The lease of the worker that holds the task, without its token. */
function leaseView(task: Task): TaskResponse["lease"] {
  const { lease } = task;
  if (lease === null || !isActive(task)) return undefined;
  const { worker, expiresAt } = lease;
  return {
    worker: worker ?? undefined,
    renewedAt: toIsoTime(renewedAtOf(lease)),
    expiresAt: toIsoTime(expiresAt),
  };
}

function blockedView(task: Task): TaskResponse["blocked"] {
  if (task.status !== "blocked") return undefined;
  const { kind, question, since, approvalIds } = task.blocked;
  return { kind, question, since: toIsoTime(since), approvalIds };
}

function errorView(task: Task): TaskResponse["error"] {
  if (task.status !== "failed") return undefined;
  return { ...task.error, attempt: task.attempt, at: toIsoTime(task.endedAt) };
}

export function eventView(event: TaskEvent, viewer: Viewer): TaskEventResponse {
  const { seq, type, at } = event;
  const data = filterEventData(viewer, type, toEventData(event));
  return { seq, type, at: toIsoTime(at), data };
}
