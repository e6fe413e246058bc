import type { FeedEvent } from "../domain/feed.ts";
import { fail, ok, type Result } from "../domain/result.ts";
import { signing, type Webhook as Settings } from "../domain/webhook.ts";
import { bodyOf, contentOf, type BodySettings, type Content } from "./body.ts";
import type { FallibleWriter, MessageContext, WebhookMessage } from "./contract.ts";
import { asStandardSettings, type StandardSettings } from "./secret.ts";

/** The writer of a webhook's messages. The A2A slice provides its own. */
export async function writerOf({
  format,
  template,
}: Pick<Settings, "format" | "template">): Promise<FallibleWriter> {
  if (format === "a2a") return (await import("../doors/a2a/push.ts")).pushMessage;
  const of = { format, template };
  return async (_env, event, settings, context) => {
    const message = await signedMessage(
      of,
      contentOf(event),
      asStandardSettings(settings),
      context,
    );
    return message.ok ? message.value : { problem: message.failure };
  };
}

/**
 * The same for all attempts and redeliveries, so that a receiver can tell what it has seen. The event's
 * instant is in it, as a task that was purged may come again under its id, and counts from 1 then.
 */
export function messageIdOf({ taskId, seq, at }: Pick<FeedEvent, "taskId" | "seq" | "at">): string {
  return `evt_${taskId}_${seq}_${Date.parse(at)}`;
}

/** A message with any content, signed according to Standard Webhooks with each currently valid secret. */
export async function signedMessage(
  of: BodySettings,
  content: Content,
  { secrets, headers = {} }: StandardSettings,
  { messageId, at }: Pick<MessageContext, "messageId" | "at">,
): Promise<Result<WebhookMessage, string>> {
  const body = await bodyOf(of, content);
  if (!body.ok) return fail(body.failure);
  const { Webhook } = await import("standardwebhooks");
  const sentAt = new Date(at);
  const signatures = signing(secrets, at).map((secret) =>
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
