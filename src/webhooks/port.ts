import type { Delivery, DeliveryLine, DeliveryStatus } from "../domain/delivery.ts";
import type { MissedSpan } from "./standing.ts";

/** How a webhook fares. Instants in milliseconds since 1970. */
export interface WebhookStanding {
  readonly pending: number;
  /** Attempts that failed since one succeeded. */
  readonly consecutiveFailures: number;
  readonly lastSuccessAt: number | null;
  /** The part of the feed that was dropped before the webhook read it. */
  readonly missed: MissedSpan | null;
}

/** What a webhook's object does, as its callers see it. */
export interface WebhookPort {
  /**
   * Notifies the webhook of new events. Resolves when it has stored the events to deliver or has recorded that
   * more are waiting. It always reads from its own position.
   */
  poke(webhookId: string): Promise<void>;
  /**
   * It will be told of events behind a position of the feed, once its row has it enabled and `changed`,
   * a poke or its alarm sees that. One that is told already goes on from its own.
   */
  begin(webhookId: string, position: number): Promise<void>;
  /**
   * Its filter is about to change: what has happened so far is judged by the one that it has. False when too
   * many deliveries are pending to read that.
   */
  catchUp(webhookId: string): Promise<boolean>;
  /**
   * Its row has changed: no attempt begins with the settings before, and it is told of events, or ends
   * what is pending, as the row has it now.
   */
  changed(webhookId: string): Promise<void>;
  /** It was deleted, and everything it holds with it. */
  close(): Promise<void>;
  standing(): Promise<WebhookStanding>;
  /** Deliveries with an id below one, newest first; null: of any status. */
  deliveries(
    status: DeliveryStatus | null,
    below: number,
    limit: number,
  ): Promise<readonly DeliveryLine[]>;
  delivery(id: number): Promise<Delivery | null>;
  /** A new round of attempts, the first at once; null when there is no such delivery. */
  redeliver(id: number): Promise<Delivery | null>;
}

/** The object that delivers to one webhook. */
export function webhookOf(webhooks: Env["WEBHOOKS"], webhookId: string): WebhookPort {
  return portOf(webhooks.get(webhooks.idFromName(webhookId)));
}

/** WebhookObject implements WebhookPort, which holds only what RPC carries unchanged. */
function portOf(stub: DurableObjectStub): WebhookPort {
  return stub as unknown as WebhookPort;
}
