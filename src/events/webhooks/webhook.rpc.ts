import type { Delivery, DeliveryLogEntry, DeliveryStatus } from "../model/delivery.ts";
import type { MissedRange } from "../model/subscription.ts";
import { toRpc } from "../../platform/request-id.ts";

/** How a webhook fares. Instants in milliseconds since 1970. */
export interface WebhookStats {
  readonly pending: number;
  /** Attempts that failed since one succeeded. */
  readonly consecutiveFailures: number;
  readonly lastSuccessAt: number | null;
  /** The part of the feed that was dropped before the webhook read it. */
  readonly missed: MissedRange | null;
}

/** What a webhook's object does, as its callers see it. */
export interface WebhookRpc {
  /**
   * Notifies the webhook of new events. Resolves when it has stored the events to deliver or has recorded that
   * more are waiting. It always reads from its own position.
   */
  notify(webhookId: string): Promise<void>;
  /**
   * It will be told of events behind a position of the feed, once its row has it enabled and `changed`,
   * a poke or its alarm sees that. One that is told already goes on from its own.
   */
  startAt(webhookId: string, position: number): Promise<void>;
  /**
   * Its filter is about to change: what has happened so far is judged by the one that it has. False when too
   * many deliveries are pending to read that.
   */
  catchUp(webhookId: string): Promise<boolean>;
  /**
   * Its row has changed: no attempt begins with the settings before, and it is told of events, or ends
   * what is pending, as the row has it now.
   */
  reloadSettings(webhookId: string): Promise<void>;
  /** It was deleted, and everything it holds with it. */
  deleteState(): Promise<void>;
  readStats(): Promise<WebhookStats>;
  /** Deliveries with an id below one, newest first; null: of any status. */
  listDeliveries(
    status: DeliveryStatus | null,
    below: number,
    limit: number,
  ): Promise<readonly DeliveryLogEntry[]>;
  findDelivery(id: number): Promise<Delivery | null>;
  /** A new round of attempts, the first at once; null when there is no such delivery. */
  redeliver(id: number): Promise<Delivery | null>;
}

/** The object that delivers to one webhook. */
export function webhookStub(webhooks: Env["WEBHOOKS"], webhookId: string): WebhookRpc {
  return toRpc(webhooks.get(webhooks.idFromName(webhookId)));
}
