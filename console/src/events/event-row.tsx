import { Link } from "@tanstack/react-router";
import { memo } from "react";
import type { FeedEvent } from "../api/live-feed.ts";
import { Badge, type Tone } from "../ui/badge.tsx";
import { Time } from "../ui/time.tsx";
import { eventDetail } from "./event-detail.ts";
import { EVENT_LABELS, type EventType } from "./filters.ts";

const TONES_OF_TYPES: Readonly<Partial<Record<EventType, Tone>>> = {
  started: "accent",
  resumed: "accent",
  blocked: "warning",
  changes_requested: "warning",
  submitted: "info",
  completed: "success",
  approved: "success",
  failed: "danger",
  "approval.requested": "warning",
  "limit.warned": "warning",
  "limit.exceeded": "danger",
};

export const EventRow = memo(function EventRow({ event }: { readonly event: FeedEvent }) {
  const detail = eventDetail(event);
  return (
    <div className="grid grid-cols-[6rem_minmax(0,1fr)] gap-x-3 gap-y-0.5 px-3 py-2 sm:grid-cols-[6rem_10rem_minmax(0,1fr)]">
      <span className="text-muted text-sm">
        <Time at={event.at} />
      </span>
      <span className="min-w-0">
        <Badge tone={TONES_OF_TYPES[event.type] ?? "neutral"}>{EVENT_LABELS[event.type]}</Badge>
      </span>
      <div className="col-span-2 min-w-0 sm:col-span-1">
        <p className="truncate">
          {"limitId" in event ? (
            <Link
              to="/limits"
              title={event.title}
              className="hover:text-accent min-h-target min-w-target inline-block font-medium hover:underline"
            >
              <bdi>{event.title}</bdi>
            </Link>
          ) : "approvalId" in event ? (
            <Link
              to="/approvals/$approvalId"
              params={{ approvalId: event.approvalId }}
              title={event.title}
              className="hover:text-accent min-h-target min-w-target inline-block font-medium hover:underline"
            >
              <bdi>{event.title}</bdi>
            </Link>
          ) : (
            <Link
              to="/tasks/$taskId"
              params={{ taskId: event.taskId }}
              title={event.title}
              className="hover:text-accent min-h-target min-w-target inline-block font-medium hover:underline"
            >
              <bdi>{event.title ?? event.taskId}</bdi>
            </Link>
          )}
        </p>
        <p className="text-muted flex gap-3 text-sm">
          {event.agentId !== undefined && (
            <Link
              to="/agents/$agentId"
              params={{ agentId: event.agentId }}
              className="hover:text-accent min-h-target min-w-target shrink-0 hover:underline"
            >
              {event.agentId}
            </Link>
          )}
          {detail !== null && (
            <span className="min-w-0 truncate" title={detail}>
              <bdi>{detail}</bdi>
            </span>
          )}
        </p>
      </div>
    </div>
  );
});
