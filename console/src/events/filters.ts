import type { FeedEvent } from "../api/live-feed.ts";
import { searchList, searchText } from "../layout/search-text.ts";

export type EventType = FeedEvent["type"];

export const EVENT_LABELS: Readonly<Record<EventType, string>> = {
  created: "Created",
  assigned: "Assigned",
  declined: "Declined",
  started: "Started",
  resumed: "Resumed",
  progressed: "Progressed",
  blocked: "Blocked",
  call_stored: "Call stored",
  call_settled: "Call settled",
  "approval.requested": "Approval requested",
  "approval.decided": "Approval decided",
  "approval.executed": "Approved call made",
  "limit.warned": "Limit almost reached",
  "limit.exceeded": "Limit exceeded",
  responded: "Answered",
  submitted: "Submitted for review",
  approved: "Approved",
  changes_requested: "Changes requested",
  completed: "Completed",
  failed: "Failed",
  cancelled: "Cancelled",
  retried: "Retried",
  updated: "Updated",
  rated: "Rated",
};

export const EVENT_TYPES = [
  "created",
  "assigned",
  "declined",
  "started",
  "resumed",
  "progressed",
  "blocked",
  "call_stored",
  "call_settled",
  "approval.requested",
  "approval.decided",
  "approval.executed",
  "limit.warned",
  "limit.exceeded",
  "responded",
  "submitted",
  "approved",
  "changes_requested",
  "completed",
  "failed",
  "cancelled",
  "retried",
  "updated",
  "rated",
] as const satisfies readonly EventType[];

/** The filters of the feed. The parameters of the URL and of the API have the same names. */
export interface EventFilters {
  /** One or more event types, separated by commas. */
  readonly type?: string;
  readonly agentId?: string;
  readonly teamId?: string;
}

/** Reads the filters of a URL. Parameters that are unknown or invalid are ignored. */
export function readEventFilters(search: Record<string, unknown>): EventFilters {
  const type = searchList(searchText(search["type"]), EVENT_TYPES).join(",");
  const agentId = searchText(search["agentId"]);
  const teamId = searchText(search["teamId"]);
  return {
    ...(type !== "" && { type }),
    ...(agentId !== undefined && { agentId }),
    ...(teamId !== undefined && { teamId }),
  };
}

export function typesOf({ type }: EventFilters): readonly EventType[] {
  return searchList(type, EVENT_TYPES);
}

/** Whether the API would list the event with these filters. */
export function matchesFilters(
  event: Pick<FeedEvent, "type" | "agentId" | "teamId">,
  filters: EventFilters,
): boolean {
  const types = typesOf(filters);
  return (
    (types.length === 0 || types.includes(event.type)) &&
    (filters.agentId === undefined || event.agentId === filters.agentId) &&
    (filters.teamId === undefined || event.teamId === filters.teamId)
  );
}
