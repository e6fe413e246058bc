import type { Outcome } from "../domain/delivery.ts";
import { egressOf } from "../egress/egress.ts";
import { attempt, unsent } from "./attempt.ts";
import { signedMessage } from "./message.ts";
import type { WebhookEnv } from "./register.ts";
import { asStandardSettings, openSettings } from "./secret.ts";
import type { StoredWebhook } from "./store.ts";

/** Sends a webhook a signed message that reports nothing, once, whether it is enabled or not. */
export async function tryOut(
  env: WebhookEnv,
  { id, url, sealed }: StoredWebhook,
): Promise<Outcome> {
  const at = Date.now();
  const settings = await openSettings(env, id, sealed);
  if (!settings.ok) return unsent(at, settings.failure);
  const timestamp = new Date(at).toISOString();
  const payload = { type: "webhook.test", timestamp, data: { webhookId: id } };
  const context = { messageId: `test_${crypto.randomUUID()}`, at };
  const message = await signedMessage(payload, asStandardSettings(settings.value), context);
  return attempt(egressOf(env), url, message);
}
