import type { FeedEvent } from "../model/feed.ts";
import type { FeedEventResponse } from "../../tasks/api/event-schemas.ts";
import { feedEventView } from "../event-view.ts";
import { describeEvent } from "./chat-formats.ts";

/** The data of a test message. Templates may read `data.data`, which messages for events contain. */
interface TestData {
  readonly webhookId: string;
  readonly data: Readonly<Record<string, never>>;
}

/** The content of a message: the input of templates, and of the default body. */
export interface MessageContent {
  readonly type: string;
  readonly timestamp: string;
  /** For people, in one line. */
  readonly title: string;
  /** What happened, for people. */
  readonly text: string;
  readonly data: FeedEventResponse | TestData;
}

/** The content for an event, as the feed shows the event to an unbound key. */
export function buildMessageContent(event: FeedEvent): MessageContent {
  return {
    type: `task.${event.type}`,
    timestamp: event.at,
    title: event.title ?? `Task ${event.taskId}`,
    text: describeEvent(event),
    data: feedEventView(event, { agentId: null, teamId: null }),
  };
}
