import type { Viewer } from "../keys/model/key.ts";
import type { FeedEventResponse } from "./event-schemas.ts";
import { filterEventData } from "../tasks/model/event-data.ts";
import type { FeedEvent } from "./model/feed.ts";

/** An event as shown to a viewer. Fields without a value are omitted, because a template can list all fields. */
export function feedEventView(event: FeedEvent, viewer: Viewer): FeedEventResponse {
  const { taskId, approvalId, limitId, seq, type, at, agentId, teamId, title, data } = event;
  const { dataBytes } = event;
  return {
    ...(approvalId === undefined ? {} : { approvalId }),
    ...(limitId === undefined ? {} : { limitId }),
    ...(taskId === null ? {} : { taskId }),
    seq,
    type,
    at,
    ...(agentId === null ? {} : { agentId }),
    ...(teamId === null ? {} : { teamId }),
    ...(title === undefined ? {} : { title }),
    data: filterEventData(viewer, type, data),
    ...(dataBytes === undefined ? {} : { dataBytes }),
  };
}
