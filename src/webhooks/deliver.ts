import { within } from "../clock/within.ts";
import type { Delivery } from "../domain/delivery.ts";
import { STORE_WAIT_MS } from "../domain/limits.ts";
import { egressOf } from "../egress/egress.ts";
import { attempt, unsent } from "./attempt.ts";
import type { Ending } from "./standing.ts";
import { messageIdOf, writerOf } from "./message.ts";
import { openSettings } from "./secret.ts";
import type { StoredWebhook } from "./store.ts";

/** Makes one attempt for a delivery; it never throws. */
export type Sender = (delivery: Delivery) => Promise<Ending>;

/** The sender of a webhook with its settings as they are now. */
export async function senderOf(env: Env, webhook: StoredWebhook): Promise<Sender> {
  const { id: webhookId, url, format, template, sealed } = webhook;
  const egress = egressOf(env);
  const settings = await openSettings(env, webhookId, sealed);
  return async ({ event }) => {
    const at = Date.now();
    if (!settings.ok) return { outcome: unsent(at, settings.failure), isLast: false, url };
    try {
      const write = await writerOf({ format, template });
      const context = { webhookId, messageId: messageIdOf(event), at };
      const message = await within(STORE_WAIT_MS, write(env, event, settings.value, context));
      if (message === null || message === "end") {
        return { outcome: null, isLast: message === "end", url };
      }
      if ("problem" in message) {
        return { outcome: unsent(at, message.problem), isLast: false, url };
      }
      const outcome = await attempt(egress, url, message);
      return { outcome, isLast: message.isLast === true, url };
    } catch (error) {
      console.error({ event: "webhook_attempt_failed", webhookId, error });
      const outcome = unsent(at, "The message could not be sent, for a reason on our side.");
      return { outcome, isLast: false, url };
    }
  };
}
