import type { StoredWebhook } from "../model/webhook.ts";
import type { AttemptOutcome, Delivery } from "../model/delivery.ts";
import { createEgress } from "../../platform/egress/egress.ts";
import { postMessage, buildUnsentOutcome } from "./post-message.ts";
import { toClientFormat, type MessageContent } from "./message-body.ts";
import { buildSignedMessage, createStandardWriter, messageIdOf } from "./message.ts";
import type { PushWriterLoader } from "./message-writer.ts";
import type { WebhookEnv } from "./manage-webhooks.ts";
import { openWebhookSettings, toStandardSettings } from "./settings.ts";
import { withTimeout } from "../../platform/timeout.ts";
import { STORE_TIMEOUT_MS } from "../../platform/limits.ts";
import type { SendResult } from "../model/subscription.ts";
import { log } from "../../platform/log.ts";

/** Makes one attempt for a delivery; it never throws. */
export type DeliverySender = (delivery: Delivery) => Promise<SendResult>;

/** The sender of a webhook with its settings as they are now. */
export async function createSender(
  env: Env,
  webhook: StoredWebhook,
  loadPushWriter: PushWriterLoader,
): Promise<DeliverySender> {
  const { id: webhookId, url, format, template, sealed } = webhook;
  const egress = createEgress(env);
  const settings = await openWebhookSettings(env, webhookId, sealed);
  return async ({ event }) => {
    const at = Date.now();
    if (!settings.ok)
      return { outcome: buildUnsentOutcome(at, settings.failure), isLast: false, url };
    try {
      const write =
        format === "a2a" ? await loadPushWriter() : createStandardWriter({ format, template });
      const context = { webhookId, messageId: messageIdOf(event), at };
      const message = await withTimeout(
        STORE_TIMEOUT_MS,
        write(env, event, settings.value, context),
      );
      if (message === null || message === "end") {
        return { outcome: null, isLast: message === "end", url };
      }
      if ("problem" in message) {
        return { outcome: buildUnsentOutcome(at, message.problem), isLast: false, url };
      }
      const outcome = await postMessage(egress, url, message);
      return { outcome, isLast: message.isLast === true, url };
    } catch (error) {
      log.error("webhook_attempt_failed", { webhookId, error });
      const outcome = buildUnsentOutcome(
        at,
        "The message could not be sent, for a reason on our side.",
      );
      return { outcome, isLast: false, url };
    }
  };
}

/** Sends a webhook a signed message that reports nothing, once, whether it is enabled or not. */
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
    // Templates may read `data.data`, which messages for events contain.
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
