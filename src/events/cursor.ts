import { readCursor, writeCursor, type Listing } from "../http/cursor.ts";

/** Places in the feed are good under any filter. */
const FEED: Listing = { use: "feed", filter: [] };

/** A place in the feed as clients carry it. */
export function writeFeedCursor(secret: string, position: number): string {
  return writeCursor(secret, FEED, String(position));
}

/** The position in a cursor, or null when it was not made by this service. */
export function readFeedCursor(secret: string, cursor: string): number | null {
  const place = readCursor(secret, FEED, cursor);
  return place === null ? null : Number(place);
}
