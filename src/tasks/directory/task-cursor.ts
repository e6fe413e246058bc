import type { ListPosition, DirectoryFilter } from "../model/listing.ts";
import { decodeCursor, encodeCursor, type CursorScope } from "../../http/cursor.ts";

/** A place in a list of tasks as clients carry it, good under one filter only. */
export function writeTaskCursor(
  secret: string,
  filter: DirectoryFilter,
  { createdAt, id }: ListPosition,
): string {
  return encodeCursor(secret, listing(filter), `${createdAt}.${id}`);
}

/** The place in a cursor, or null when it was not made by this service for this filter. */
export function readTaskCursor(
  secret: string,
  filter: DirectoryFilter,
  cursor: string,
): ListPosition | null {
  const place = decodeCursor(secret, listing(filter), cursor);
  if (place === null) return null;
  const [createdAt, id = ""] = place.split(".");
  return { createdAt: Number(createdAt), id };
}

function listing(filter: DirectoryFilter): CursorScope {
  return { use: "cursor", filter: [JSON.stringify(filter)] };
}
