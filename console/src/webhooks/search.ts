import type { Schemas } from "../api/client.ts";
import { searchText } from "../layout/search-text.ts";

export type DeliveryStatus = Schemas["Delivery"]["status"];

export const DELIVERY_STATUSES = [
  "pending",
  "delivered",
  "failed",
] as const satisfies readonly DeliveryStatus[];

/** The filter of a webhook's deliveries and the delivery that is open, as the URL states them. */
export interface DeliverySearch {
  readonly status?: DeliveryStatus;
  readonly delivery?: string;
}

export function readDeliverySearch(search: Record<string, unknown>): DeliverySearch {
  const status = DELIVERY_STATUSES.find((one) => one === search["status"]);
  const delivery = searchText(search["delivery"]);
  return { ...(status && { status }), ...(delivery !== undefined && { delivery }) };
}
