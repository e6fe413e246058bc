import type { Delivery, DeliveryLogEntry, DeliveryStatus } from "../model/delivery.ts";
import type { MissedRange } from "../model/subscription.ts";
import { withRequestId } from "../../platform/request-id.ts";

/** Webhook statistics. Times are in milliseconds since 1970. */
export interface WebhookStats {
  readonly pending: number;
  /** The number of failed attempts since the last success. */
  readonly consecutiveFailures: number;
  readonly lastSuccessAt: number | null;
  /** The part of the feed that was dropped before the webhook read it. */
  readonly missed: MissedRange | null;
}

export interface WebhookRpc {
  /**
   * Notifies the webhook of new events. Resolves when it has stored the events to deliver or has recorded that more are
   * waiting. The webhook always reads from its own position.
   */
  notify(webhookId: string): Promise<void>;
  /**
   * Sets the position of a webhook that is not open; an open webhook keeps its own position. When the webhook next
   * reads its row, it opens if it is enabled.
   */
  startAt(webhookId: string, position: number): Promise<void>;
  /**
   * Reads all events so far, for example before the filter changes. Returns false if too many deliveries are pending.
   */
  catchUp(webhookId: string): Promise<boolean>;
  /**
   * Applies a changed row. No attempt starts with the old settings, and the webhook opens or fails its pending
   * deliveries according to the row.
   */
  reloadSettings(webhookId: string): Promise<void>;
  /** Deletes all state after the webhook was deleted. */
  deleteState(): Promise<void>;
  readStats(): Promise<WebhookStats>;
  /** Deliveries with an id less than `below`, newest first. If `status` is null, deliveries with any status. */
  listDeliveries(
    status: DeliveryStatus | null,
    below: number,
    limit: number,
  ): Promise<readonly DeliveryLogEntry[]>;
  findDelivery(id: number): Promise<Delivery | null>;
  /** Starts a new round of attempts immediately; null for an unknown delivery. */
  redeliver(id: number): Promise<Delivery | null>;
}

/** The object that delivers to one webhook. */
export function webhookStub(webhooks: Env["WEBHOOKS"], webhookId: string): WebhookRpc {
  return withRequestId(webhooks.get(webhooks.idFromName(webhookId)));
}
