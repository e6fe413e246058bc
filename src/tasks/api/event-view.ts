import type { FeedEvent } from "../../events/model/feed.ts";
import type { Viewer } from "../../keys/model/key.ts";
import { filterEventData, toEventData } from "../model/event-data.ts";
import type { TaskEvent } from "../model/events.ts";

/** An event of a task's log as a viewer reads it. */
export function eventView(event: TaskEvent, viewer: Viewer): object {
  const { seq, type, at } = event;
  const data = filterEventData(viewer, type, toEventData(event));
  return { seq, type, at: new Date(at).toISOString(), data };
}

/** An event of the feed as a viewer reads it. */
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
