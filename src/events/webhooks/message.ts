import type { FeedEvent } from "../model/feed.ts";
import { fail, ok, type Result } from "../../kernel/result.ts";
import { listActiveSecrets } from "../model/webhook.ts";
import {
  renderBody,
  buildMessageContent,
  type BodySettings,
  type MessageContent,
} from "./message-body.ts";
import type { MessageContext, MessageWriter, WebhookMessage } from "./message-writer.ts";
import { toStandardSettings, type StandardSettings } from "./settings.ts";

/** The writer of the formats that clients can choose. */
export function createStandardWriter({
  format,
  template,
}: Pick<BodySettings, "format" | "template">): MessageWriter {
  return async (_env, event, settings, context) => {
    const message = await buildSignedMessage(
      { format, template },
      buildMessageContent(event),
      toStandardSettings(settings),
      context,
    );
    return message.ok ? message.value : { problem: message.failure };
  };
}

/**
 * The same for all attempts and redeliveries, so that a receiver can detect duplicates. It contains the event's
 * instant, because a deleted task's id can be created again, with sequence numbers from 1.
 */
export function messageIdOf({ taskId, seq, at }: Pick<FeedEvent, "taskId" | "seq" | "at">): string {
  return `evt_${taskId}_${seq}_${Date.parse(at)}`;
}

/** A message with any content, signed according to Standard Webhooks with each currently valid secret. */
export async function buildSignedMessage(
  of: BodySettings,
  content: MessageContent,
  { secrets, headers = {} }: StandardSettings,
  { messageId, at }: Pick<MessageContext, "messageId" | "at">,
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
