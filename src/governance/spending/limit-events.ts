import type { FeedEvent } from "../../events/model/feed.ts";
import { omitUndefined } from "../../kernel/json.ts";
import { toIsoTime } from "../../kernel/text.ts";
import { currentRequestId } from "../../platform/request-id.ts";
import { readSubject, type LimitEvent } from "../model/spending/limit.ts";
import { scopeView } from "./view.ts";

/** An event of a limit in the feed. A limit of an agent or a team is visible to keys that are bound to it. */
export function limitFeedEvent(
  { type, limit, at, used, resetAt }: LimitEvent,
  seq: number,
): FeedEvent {
  const { scopeKind, scopeId } = readSubject(limit.subject);
  const requestId = currentRequestId();
  return {
    taskId: null,
    limitId: limit.id,
    seq,
    type,
    at: toIsoTime(at),
    agentId: scopeKind === "agent" ? scopeId : null,
    teamId: scopeKind === "team" ? scopeId : null,
    title: `Limit ${limit.id}`,
    data: {
      scope: omitUndefined(scopeView({ scopeKind, scopeId })),
      measure: limit.measure,
      per: limit.per,
      limit: limit.limit,
      used,
      resetAt: toIsoTime(resetAt),
    },
    ...(requestId === null ? {} : { requestId }),
  };
}
