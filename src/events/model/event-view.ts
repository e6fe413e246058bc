import type { Viewer } from "../../keys/model/key.ts";
import { filterEventData } from "../../tasks/model/event-data.ts";
import type { FeedEvent } from "./feed.ts";

export function feedEventView(event: FeedEvent, viewer: Viewer): object {
  const { taskId, seq, type, at, agentId, teamId, title, data, dataBytes } = event;
  return {
    taskId,
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
