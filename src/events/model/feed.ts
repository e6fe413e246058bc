import { FEED_RETRY_MAX_MS } from "../limits.ts";
import { OUTBOX_RETRY_MS } from "../../tasks/limits.ts";
import {
  APPROVAL_EVENT_TYPES,
  type ApprovalEventType,
} from "../../governance/model/approval-status.ts";
import {
  TASK_EVENT_PREFIX,
  TASK_EVENT_TYPES,
  type TaskEventType,
} from "../../tasks/model/events.ts";
import { LIMIT_EVENT_TYPES, type LimitEventType } from "../../governance/model/spending/limit.ts";
import type { JsonObject } from "../../kernel/json.ts";
import type { Viewer } from "../../keys/model/key.ts";

export type FeedEventType = TaskEventType | ApprovalEventType | LimitEventType;

export const FEED_EVENT_TYPES: readonly FeedEventType[] = [
  ...TASK_EVENT_TYPES,
  ...APPROVAL_EVENT_TYPES,
  ...LIMIT_EVENT_TYPES,
];

/** Whether a type belongs to the events of tasks, which messages show with a prefix. */
function isTaskEvent(type: FeedEventType): type is TaskEventType {
  return TASK_EVENT_TYPES.some((one) => one === type);
}

/**
 * An event in the feed, with the task's agent and team at the time of the event, and with `data` as an unbound key sees
 * it. `at` is in ISO 8601.
 */
export interface FeedEvent {
  /** Null for a limit, and for a call that requires approval and belongs to no task. */
  readonly taskId: string | null;
  /** The call that requires approval; absent in other events. */
  readonly approvalId?: string;
  /** The spending limit; absent in other events. */
  readonly limitId?: string;
  readonly seq: number;
  readonly type: FeedEventType;
  readonly at: string;
  readonly agentId: string | null;
  readonly teamId: string | null;
  /** The task's title or the beginning of its text, on one line; absent in events from earlier releases. */
  readonly title?: string;
  readonly data: JsonObject;
  /** The size of `data` before its strings and lists were shortened; absent if they were not. */
  readonly dataBytes?: number;
  /** The request that caused the event, for log lines only; absent in events from earlier releases. */
  readonly requestId?: string;
}

/** What an event belongs to. */
export type FeedEventSource = Pick<FeedEvent, "taskId" | "approvalId" | "limitId">;

/** Distinguishes limits, whose ids people choose, from tasks and approvals. */
const LIMIT_SOURCE_PREFIX = "limit:";

/** Identifies the task, the approval or the limit whose events are numbered by `seq`. */
export function feedSourceOf({ taskId, approvalId, limitId }: FeedEventSource): string {
  return limitId === undefined ? (approvalId ?? taskId ?? "") : `${LIMIT_SOURCE_PREFIX}${limitId}`;
}

/** What `feedSourceOf` identified. */
export function readFeedSource(type: FeedEventType, source: string): FeedEventSource {
  if (isTaskEvent(type)) return { taskId: source };
  return source.startsWith(LIMIT_SOURCE_PREFIX)
    ? { taskId: null, limitId: source.slice(LIMIT_SOURCE_PREFIX.length) }
    : { taskId: null, approvalId: source };
}

/** Text that occurs in the JSON of each event with the same source. */
export function feedSourceText({ taskId, approvalId, limitId }: FeedEventSource): string {
  return limitId === undefined
    ? (approvalId ?? taskId ?? "")
    : JSON.stringify({ limitId }).slice(1, -1);
}

/** An event's type in messages, as in `task.completed` and `approval.requested`. */
export function messageTypeOf(type: FeedEventType): string {
  return isTaskEvent(type) ? `${TASK_EVENT_PREFIX}${type}` : type;
}

/** An event with its position. Positions increase, with gaps. */
export interface PositionedEvent extends FeedEvent {
  readonly position: number;
}

/**
 * Positions are times in microseconds, increased where necessary to be unique, so any time can be used as a position.
 */
export const POSITIONS_PER_MS = 1_000;

/** When the feed received the event at a position, in milliseconds since 1970. */
export function instantOfPosition(position: number): number {
  return Math.floor(position / POSITIONS_PER_MS);
}

/** The values that an event must have; null matches any value. */
export interface FeedFilter {
  readonly types: readonly FeedEventType[] | null;
  readonly agentId: string | null;
  readonly teamId: string | null;
  readonly taskId: string | null;
}

export function matchesFilter(filter: FeedFilter, event: FeedEvent): boolean {
  const { types, agentId, teamId, taskId } = filter;
  return (
    (types === null || types.includes(event.type)) &&
    (agentId === null || event.agentId === agentId) &&
    (teamId === null || event.teamId === teamId) &&
    (taskId === null || event.taskId === taskId)
  );
}

/** A filter that no event matches. */
export const NO_EVENTS: FeedFilter = { types: [], agentId: null, teamId: null, taskId: null };

/** Limits a filter to what a viewer may see; null if nothing remains. */
export function narrowFilter(filter: FeedFilter, viewer: Viewer): FeedFilter | null {
  const agentId = intersectIds(filter.agentId, viewer.agentId);
  const teamId = intersectIds(filter.teamId, viewer.teamId);
  return agentId === undefined || teamId === undefined ? null : { ...filter, agentId, teamId };
}

function intersectIds(requested: string | null, bound: string | null): string | null | undefined {
  if (bound === null || requested === null || requested === bound) return bound ?? requested;
  return undefined;
}

/**
 * The pause before retrying a failing feed. Between its minimum and maximum, it equals the time since the call was due,
 * so it doubles each time.
 */
export function computeFeedRetryMs(dueMs: number): number {
  return Math.min(Math.max(dueMs, OUTBOX_RETRY_MS), FEED_RETRY_MAX_MS);
}
