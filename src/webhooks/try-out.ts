import type { Outcome } from "../domain/delivery.ts";
import { egressOf } from "../egress/egress.ts";
import { attempt, unsent } from "./attempt.ts";
import { clientFormat, type Content } from "./body.ts";
import { signedMessage } from "./message.ts";
import type { WebhookEnv } from "./register.ts";
import { asStandardSettings, openSettings } from "./secret.ts";
import type { StoredWebhook } from "./store.ts";

/** Sends a webhook a signed message that reports nothing, once, whether it is enabled or not. */
export async function tryOut(
  env: WebhookEnv,
  { id, url, format, template, sealed }: StoredWebhook,
): Promise<Outcome> {
  const at = Date.now();
  const settings = await openSettings(env, id, sealed);
  if (!settings.ok) return unsent(at, settings.failure);
  const timestamp = new Date(at).toISOString();
  const content: Content = {
    type: "webhook.test",
    timestamp,
    title: "Test message",
    text: "This webhook can reach you.",
    // Templates may read `data.data`, which messages for events contain.
    data: { webhookId: id, data: {} },
  };
  const of = { format: clientFormat(format), template };
  const context = { messageId: `test_${crypto.randomUUID()}`, at };
  const message = await signedMessage(of, content, asStandardSettings(settings.value), context);
  return message.ok ? attempt(egressOf(env), url, message.value) : unsent(at, message.failure);
}
