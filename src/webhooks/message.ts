import type { FeedEvent } from "../domain/feed.ts";
import { signing, type WebhookFormat } from "../domain/webhook.ts";
import { feedEventView } from "../tasks/event-view.ts";
import type { MessageContext, MessageWriter, WebhookMessage } from "./contract.ts";
import { asStandardSettings, type StandardSettings } from "./secret.ts";

/** The writer of a format; that of A2A comes with its door. */
export async function writerOf(format: WebhookFormat): Promise<MessageWriter> {
  switch (format) {
    case "standard":
      return standardMessage;
    case "a2a":
      return (await import("../doors/a2a/push.ts")).pushMessage;
  }
}

/**
 * The same for all attempts and redeliveries, so that a receiver can tell what it has seen. The event's
 * instant is in it, as a task that was purged may come again under its id, and counts from 1 then.
 */
export function messageIdOf({ taskId, seq, at }: Pick<FeedEvent, "taskId" | "seq" | "at">): string {
  return `evt_${taskId}_${seq}_${Date.parse(at)}`;
}

/** What a standard webhook is told of an event: what the feed shows of it to a key that is bound to nobody. */
export function payloadOf(event: FeedEvent): object {
  const data = feedEventView(event, { agentId: null, teamId: null });
  return { type: `task.${event.type}`, timestamp: event.at, data };
}

export const standardMessage: MessageWriter = (_env, event, settings, context) =>
  signedMessage(payloadOf(event), asStandardSettings(settings), context);

/** Any payload as a message of Standard Webhooks: a signature for each secret that is valid now. */
export async function signedMessage(
  payload: object,
  { secrets }: StandardSettings,
  { messageId, at }: Pick<MessageContext, "messageId" | "at">,
): Promise<WebhookMessage> {
  const { Webhook } = await import("standardwebhooks");
  const body = JSON.stringify(payload);
  const sentAt = new Date(at);
  const signatures = signing(secrets, at).map((secret) =>
    new Webhook(secret).sign(messageId, sentAt, body),
  );
  return {
    headers: {
      "Content-Type": "application/json",
      "User-Agent": "Bosun-Webhooks/1",
      "webhook-id": messageId,
      "webhook-timestamp": String(Math.floor(at / 1_000)),
      "webhook-signature": signatures.join(" "),
    },
    body,
  };
}
