import type { FeedEvent } from "../model/feed.ts";
import type { Json } from "../../kernel/json.ts";

/** The request to a webhook's URL for one event. The headers include `Content-Type`. */
export interface WebhookMessage {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** The last message: the webhook deletes itself when the delivery ends. */
  readonly isLast?: boolean;
}

/** No message could be written for an event, so the attempt fails; `problem` is a sentence. */
interface UnwritableMessage {
  readonly problem: string;
}

/** One attempt to deliver an event. */
export interface MessageContext {
  readonly webhookId: string;
  /** The same for all attempts and redeliveries of one event: `evt_<taskId>_<seq>_<at in milliseconds>`. */
  readonly messageId: string;
  /** When this attempt is made, in milliseconds since 1970. */
  readonly at: number;
}

/**
 * Writes the message of a format for one attempt. `settings` are the webhook's opened settings. Null: no message
 * for this event; "end": no message for any further event, and the webhook deletes itself. A thrown error is a
 * failed attempt.
 */
export type MessageWriter = (
  env: Env,
  event: FeedEvent,
  settings: Json,
  context: MessageContext,
) => Promise<WebhookMessage | UnwritableMessage | "end" | null>;

/** Loads the writer of the format "a2a", which the entry provides: events do not know the A2A interface. */
export type PushWriterLoader = () => Promise<MessageWriter>;
