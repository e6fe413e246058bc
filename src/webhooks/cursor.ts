import type { DeliveryStatus } from "../domain/delivery.ts";
import { base64url, isSigned, sign, textOfBase64url } from "../http/signature.ts";

const USE = "deliveries";

/** The list that a cursor is good for. */
export interface CursorList {
  readonly webhookId: string;
  readonly status: DeliveryStatus | null;
}

/** A place in a webhook's delivery log as clients carry it: opaque, signed, and good for one filter only. */
export async function writeCursor(secret: string, list: CursorList, id: number): Promise<string> {
  const signature = await sign(secret, USE, textOf(list, String(id)));
  return base64url(new TextEncoder().encode(`${id}.${signature}`));
}

/** The id in a cursor, or null when it was not made by this service for this list. */
export async function readCursor(
  secret: string,
  list: CursorList,
  cursor: string,
): Promise<number | null> {
  const [id, signature] = (textOfBase64url(cursor) ?? "").split(".");
  if (id === undefined || signature === undefined) return null;
  return (await isSigned(secret, USE, textOf(list, id), signature)) ? Number(id) : null;
}

function textOf({ webhookId, status }: CursorList, id: string): string {
  return `${id}\n${webhookId}\n${status ?? ""}`;
}
