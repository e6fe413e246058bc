import type { FeedEvent } from "../model/feed.ts";
import type { Json } from "../../kernel/json.ts";

/** What is posted to a webhook's URL for one event. `Content-Type` is among the headers. */
export interface WebhookMessage {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Nothing can follow: the webhook deletes itself when this is delivered, or given up. */
  readonly isLast?: boolean;
}

/** No message could be written for an event, so the attempt fails; `problem` is a sentence. */
export interface UnwritableMessage {
  readonly problem: string;
}

/** One try to deliver an event. */
export interface MessageContext {
  readonly webhookId: string;
  /** The same over all attempts and redeliveries of one event: `evt_<taskId>_<seq>_<at in milliseconds>`. */
  readonly messageId: string;
  /** When this attempt is made, in milliseconds since 1970. */
  readonly at: number;
}

/**
 * How a format words an event; null: this webhook is told nothing of it; "end": of nothing ever again,
 * and it deletes itself. `settings` is what was sealed into the webhook's row (`sealSettings`). It is called for each attempt; what it throws counts as a
 * failed attempt. src/interfaces/a2a/push-message.ts exports one by the name of `pushMessage` for the format "a2a".
 */
export type MessageWriter = (
  env: Env,
  event: FeedEvent,
  settings: Json,
  context: MessageContext,
) => Promise<WebhookMessage | "end" | null>;

/** The same for formats whose template can fail. */
export type FallibleMessageWriter = (
  ...given: Parameters<MessageWriter>
) => Promise<WebhookMessage | UnwritableMessage | "end" | null>;
