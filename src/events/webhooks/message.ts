import type { FeedEvent } from "../model/feed.ts";
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
  /** The last message: the webhook deletes itself when the delivery ends. */
  readonly isLast?: boolean;
}

/**
 * Writes the message of the format "a2a"; `settings` are the webhook's opened settings. Null: no message for this
 * event; "end": no message for any further event, and the webhook deletes itself. A thrown error is a failed attempt.
 */
export type PushMessageWriter = (
  env: Env,
  event: FeedEvent,
  settings: Json,
) => Promise<WebhookMessage | "end" | null>;

/** Loads the writer of the format "a2a"; `src/index.ts` provides it, because events do not import the A2A interface. */
export type PushWriterLoader = () => Promise<PushMessageWriter>;

/**
 * The id of an event's message: the same for all attempts and redeliveries, so that a receiver can detect duplicates.
 * It contains the event's instant, because the id of a deleted task can be used again, with sequence numbers from 1.
 */
export function messageIdOf({ taskId, seq, at }: Pick<FeedEvent, "taskId" | "seq" | "at">): string {
  return `evt_${taskId}_${seq}_${Date.parse(at)}`;
}

/** A message with any content, signed according to Standard Webhooks with each currently valid secret. */
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
