import type { StoredWebhook } from "../model/webhook.ts";
import type { AttemptOutcome, Delivery } from "../model/delivery.ts";
import type { FeedEvent } from "../model/feed.ts";
import { ok, type Result } from "../../kernel/result.ts";
import { createEgress } from "../../platform/egress/egress.ts";
import { postMessage, buildUnsentOutcome } from "./post-message.ts";
import { toClientFormat } from "./message-body.ts";
import { buildMessageContent, type MessageContent } from "./message-content.ts";
import {
  buildSignedMessage,
  messageIdOf,
  type PushWriterLoader,
  type WebhookMessage,
} from "./message.ts";
import type { WebhookEnv } from "./manage-webhooks.ts";
import { openWebhookSettings, toStandardSettings } from "./settings.ts";
import { withTimeout } from "../../platform/promises.ts";
import { STORE_TIMEOUT_MS } from "../../platform/limits.ts";
import type { SendResult } from "../model/subscription.ts";
import { log } from "../../platform/log.ts";

/** Makes one delivery attempt; never throws. */
export type DeliverySender = (delivery: Delivery) => Promise<SendResult>;

/** Creates a sender with the webhook's current settings. */
export async function createSender(
  env: Env,
  webhook: StoredWebhook,
  loadPushWriter: PushWriterLoader,
): Promise<DeliverySender> {
  const { id: webhookId, url, format, template, sealed } = webhook;
  const egress = createEgress(env);
  const settings = await openWebhookSettings(env, webhookId, sealed);
  const write = async (
    event: FeedEvent,
    at: number,
  ): Promise<Result<WebhookMessage | "end" | null, string>> => {
    if (!settings.ok) return settings;
    if (format === "a2a") return ok(await (await loadPushWriter())(env, event, settings.value));
    const content = buildMessageContent(event);
    const standard = toStandardSettings(settings.value);
    const context = { messageId: messageIdOf(event), at };
    return buildSignedMessage({ format, template }, content, standard, context);
  };
  return async ({ event }) => {
    const at = Date.now();
    try {
      const written = await withTimeout(STORE_TIMEOUT_MS, write(event, at));
      if (!written.ok)
        return { outcome: buildUnsentOutcome(at, written.failure), isLast: false, url };
      const { value: message } = written;
      if (message === null || message === "end") {
        return { outcome: null, isLast: message === "end", url };
      }
      const outcome = await postMessage(egress, url, message);
      return { outcome, isLast: message.isLast === true, url };
    } catch (error) {
      log.error("webhook_attempt_failed", { webhookId, error });
      const reason = "The message could not be sent because of an internal error.";
      return { outcome: buildUnsentOutcome(at, reason), isLast: false, url };
    }
  };
}

/** Sends one signed test message to a webhook, even if it is disabled. */
export async function sendTestMessage(
  env: WebhookEnv,
  { id, url, format, template, sealed }: StoredWebhook,
): Promise<AttemptOutcome> {
  const at = Date.now();
  const settings = await openWebhookSettings(env, id, sealed);
  if (!settings.ok) return buildUnsentOutcome(at, settings.failure);
  const timestamp = new Date(at).toISOString();
  const content: MessageContent = {
    type: "webhook.test",
    timestamp,
    title: "Test message",
    text: "This webhook can reach you.",
    data: { webhookId: id, data: {} },
  };
  const of = { format: toClientFormat(format), template };
  const context = { messageId: `test_${crypto.randomUUID()}`, at };
  const message = await buildSignedMessage(
    of,
    content,
    toStandardSettings(settings.value),
    context,
  );
  return message.ok
    ? postMessage(createEgress(env), url, message.value)
    : buildUnsentOutcome(at, message.failure);
}
