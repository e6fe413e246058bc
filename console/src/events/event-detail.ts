import type { FeedEvent } from "../api/live-feed.ts";
import { formatPeriodUse } from "../limits/limit-use.ts";
import { formatTimesIn } from "../ui/relative-time.ts";

/** The most important text of an event, such as its question or its error; null if there is none. */
export function eventDetail(event: FeedEvent): string | null {
  switch (event.type) {
    case "created":
    case "retried":
      return event.data.choice === null ? "No suitable agent is available yet" : null;
    case "assigned":
      return `To ${event.data.agentName}`;
    case "declined":
      return event.data.reason;
    case "started":
    case "resumed":
      return event.data.lease?.worker ? `Worker ${event.data.lease.worker}` : null;
    case "progressed":
      return event.data.error?.message ?? `${event.data.progress}%: ${event.data.phase}`;
    case "blocked":
      return event.data.question;
    case "call_stored":
    case "approval.requested":
      return `${event.data.toolId}/${event.data.capability}`;
    case "call_settled":
      return event.data.message;
    case "approval.decided":
    case "approval.executed":
      return event.data.status;
    case "limit.warned":
    case "limit.exceeded":
      return formatPeriodUse(event.data);
    case "responded":
      return typeof event.data.response === "string" ? event.data.response : null;
    case "submitted":
    case "completed":
      return event.data.result.summary;
    case "approved":
    case "changes_requested":
      return event.data.comment;
    case "failed":
      return formatTimesIn(event.data.error.message);
    case "cancelled":
      return event.data.reason;
    case "updated":
      return event.data.notes ?? null;
    case "rated":
      return `${event.data.rating} of 5`;
  }
}
