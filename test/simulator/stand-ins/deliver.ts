import type * as real from "../../../src/webhooks/deliver.ts";
import type { StoredWebhook } from "../../../src/webhooks/store.ts";

let receive: ((webhook: StoredWebhook) => real.Sender) | null = null;

/** Sets the receiver of deliveries. */
export function receiveBy(next: (webhook: StoredWebhook) => real.Sender): void {
  receive = next;
}

export const senderOf: typeof real.senderOf = async (_env, webhook) => {
  if (receive === null) throw new Error("Nothing receives deliveries");
  return receive(webhook);
};
