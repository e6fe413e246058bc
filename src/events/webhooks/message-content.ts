import { feedSourceOf, messageTypeOf, type FeedEvent } from "../model/feed.ts";
import type { FeedEventResponse } from "../event-schemas.ts";
import { feedEventView } from "../event-view.ts";
import { describeEvent } from "./chat-formats.ts";

/** The data of a test message. It includes `data.data` because templates written for events may read that field. */
interface TestData {
  readonly webhookId: string;
  readonly data: Readonly<Record<string, never>>;
}

/** The content of a message, from which templates and the default body are rendered. */
export interface MessageContent {
  readonly type: string;
  readonly timestamp: string;
  /** A human-readable title on one line. */
  readonly title: string;
  /** A human-readable description of what happened. */
  readonly text: string;
  readonly data: FeedEventResponse | TestData;
}

/** The content for an event, based on what an unbound key sees in the feed. */
export function buildMessageContent(event: FeedEvent): MessageContent {
  return {
    type: messageTypeOf(event.type),
    timestamp: event.at,
    title: event.title ?? `Task ${feedSourceOf(event)}`,
    text: describeEvent(event),
    data: feedEventView(event, { agentId: null, teamId: null }),
  };
}
