import type { StoredWebhook } from "../../../src/events/model/webhook.ts";
import type * as real from "../../../src/events/webhooks/sender.ts";

let receive: ((webhook: StoredWebhook) => real.DeliverySender) | null = null;

/** Sets the function that receives deliveries. */
export function setReceiver(next: (webhook: StoredWebhook) => real.DeliverySender): void {
  receive = next;
}

export const createSender: typeof real.createSender = async (_env, webhook) => {
  if (receive === null) throw new Error("Set a receiver of deliveries first");
  return receive(webhook);
};
