import type { Place } from "../domain/listing.ts";
import { readCursor, writeCursor, type Listing } from "../http/cursor.ts";
import type { DirectoryFilter } from "./directory.ts";

/** A place in a list of tasks as clients carry it, good under one filter only. */
export function writeTaskCursor(
  secret: string,
  filter: DirectoryFilter,
  { createdAt, id }: Place,
): string {
  return writeCursor(secret, listing(filter), `${createdAt}.${id}`);
}

/** The place in a cursor, or null when it was not made by this service for this filter. */
export function readTaskCursor(
  secret: string,
  filter: DirectoryFilter,
  cursor: string,
): Place | null {
  const place = readCursor(secret, listing(filter), cursor);
  if (place === null) return null;
  const [createdAt, id = ""] = place.split(".");
  return { createdAt: Number(createdAt), id };
}

function listing(filter: DirectoryFilter): Listing {
  return { use: "cursor", filter: [JSON.stringify(filter)] };
}
