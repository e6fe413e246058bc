import { readCursor, writeCursor, type Listing } from "../http/cursor.ts";

/** Places in the feed are good under any filter. */
const FEED: Listing = { use: "feed", filter: [] };

/** A place in the feed as clients carry it. */
export function writeFeedCursor(secret: string, position: number): Promise<string> {
  return writeCursor(secret, FEED, String(position));
}

/** The position in a cursor, or null when it was not made by this service. */
export async function readFeedCursor(secret: string, cursor: string): Promise<number | null> {
  const place = await readCursor(secret, FEED, cursor);
  return place === null ? null : Number(place);
}
