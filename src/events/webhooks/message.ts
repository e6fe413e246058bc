import { feedSourceOf, type FeedEvent, type FeedEventSource } from "../model/feed.ts";
import type { Json } from "../../kernel/json.ts";
import { fail, ok, type Result } from "../../kernel/result.ts";
import { listActiveSecrets } from "../model/webhook.ts";
import { renderBody, type BodySettings } from "./message-body.ts";
import type { MessageContent } from "./message-content.ts";
import type { StandardSettings } from "./settings.ts";

/** The request to a webhook's URL for one event. The headers include `Content-Type`. */
export interface WebhookMessage {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Whether this is the last message. If so, the webhook closes when the delivery ends. */
  readonly isLast?: boolean;
}

/**
 * Creates the message for the format "a2a". `settings` are the webhook's unsealed settings. Null means that this event
 * has no message; "end" means that no further event has one either, so the webhook deletes itself. A thrown error
 * counts as a failed attempt.
 */
export type PushMessageWriter = (
  env: Env,
  event: FeedEvent,
  settings: Json,
) => Promise<WebhookMessage | "end" | null>;

/**
 * Loads the writer for the format "a2a". `src/index.ts` provides it because `src/events` must not import the A2A
 * interface.
 */
export type PushWriterLoader = () => Promise<PushMessageWriter>;

/**
 * The id of an event's message. It is the same for all attempts and redeliveries so that receivers can detect
 * duplicates. It includes the event's time because a deleted task's id can be reused, with sequence numbers starting at
 * 1.
 */
export function messageIdOf(event: FeedEventSource & Pick<FeedEvent, "seq" | "at">): string {
  return `evt_${feedSourceOf(event)}_${event.seq}_${Date.parse(event.at)}`;
}

/** Creates a message with any content, signed according to Standard Webhooks with each currently valid secret. */
export async function buildSignedMessage(
  of: BodySettings,
  content: MessageContent,
  { secrets, headers = {} }: StandardSettings,
  { messageId, at }: { readonly messageId: string; readonly at: number },
): Promise<Result<WebhookMessage, string>> {
  const body = await renderBody(of, content);
  if (!body.ok) return fail(body.failure);
  const { Webhook } = await import("standardwebhooks");
  const sentAt = new Date(at);
  const signatures = listActiveSecrets(secrets, at).map((secret) =>
    new Webhook(secret).sign(messageId, sentAt, body.value),
  );
  return ok({
    headers: {
      "User-Agent": "Bosun-Webhooks/1",
      ...headers,
      "Content-Type": "application/json",
      "webhook-id": messageId,
      "webhook-timestamp": String(Math.floor(at / 1_000)),
      "webhook-signature": signatures.join(" "),
    },
    body: body.value,
  });
}
