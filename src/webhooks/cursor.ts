import type { DeliveryStatus } from "../domain/delivery.ts";
import { readCursor, writeCursor, type Listing } from "../http/cursor.ts";

/** Some deliveries of one webhook. */
export interface DeliveryList {
  readonly webhookId: string;
  readonly status: DeliveryStatus | null;
}

/** A place in a webhook's delivery log as clients carry it, good for one list only. */
export function writeDeliveryCursor(secret: string, list: DeliveryList, id: number): string {
  return writeCursor(secret, listing(list), String(id));
}

/** The id in a cursor, or null when it was not made by this service for this list. */
export function readDeliveryCursor(
  secret: string,
  list: DeliveryList,
  cursor: string,
): number | null {
  const place = readCursor(secret, listing(list), cursor);
  return place === null ? null : Number(place);
}

function listing({ webhookId, status }: DeliveryList): Listing {
  return { use: "deliveries", filter: [webhookId, status ?? ""] };
}
