import type { Viewer } from "../../keys/model/key.ts";
import { filterEventData } from "../../tasks/model/event-data.ts";
import type { FeedEvent } from "./feed.ts";

/** An event as the feed and messages show it. */
export interface FeedEventView extends Pick<
  FeedEvent,
  "taskId" | "seq" | "type" | "at" | "title" | "dataBytes"
> {
  readonly agentId?: string;
  readonly teamId?: string;
  readonly data: ReturnType<typeof filterEventData>;
}

/** Fields without a value are left out, because a template can list the fields of an event. */
export function feedEventView(event: FeedEvent, viewer: Viewer): FeedEventView {
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
