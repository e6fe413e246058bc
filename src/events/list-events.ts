import type * as z from "zod";
import { createFieldFailure, type Failure } from "../kernel/failure.ts";
import { instantOfPosition, narrowFilter } from "./model/feed.ts";
import type { Viewer } from "../keys/model/key.ts";
import { FEED_RETENTION_MS } from "./limits.ts";
import { toIsoTime } from "../kernel/text.ts";
import { preview, fail, ok, type Result } from "../kernel/result.ts";
import { feedEventView } from "./event-view.ts";
import { feedStub, type FeedPage } from "./feed.rpc.ts";
import type { listEventsQuery } from "./schemas.ts";
import type { FeedPageResponse } from "../tasks/api/event-schemas.ts";
import { decodeNumberCursor, encodeCursor, type CursorScope } from "../http/cursor.ts";

/** Feed cursors are valid with any filter. */
const FEED_LISTING: CursorScope = { use: "feed", filter: [] };

/** One page of the events that a viewer may see, oldest first, with the cursor for the next page. */
export async function listEvents(
  env: Pick<Env, "FEED" | "SIGNING_KEY">,
  viewer: Viewer,
  query: z.output<typeof listEventsQuery>,
): Promise<Result<FeedPageResponse, Failure>> {
  const { cursor, type: types = null, agentId = null, teamId = null, limit } = query;
  const feed = feedStub(env.FEED);
  const start = query.from === "latest" ? await feed.readLastPosition() : 0;
  const after =
    cursor === undefined ? start : decodeNumberCursor(env.SIGNING_KEY, FEED_LISTING, cursor);
  if (after === null) {
    const rule = "must be a nextCursor returned by this feed";
    return fail(createFieldFailure("cursor", `${rule}, got ${preview(cursor)}`));
  }
  const filter = narrowFilter({ types, agentId, teamId, taskId: null }, viewer);
  const { events, next, more, droppedTo }: FeedPage =
    filter === null
      ? { events: [], next: after, more: false, droppedTo: 0 }
      : await feed.readPage(filter, after, limit);
  const droppedAt = instantOfPosition(droppedTo);
  const cursorAt = (position: number) =>
    encodeCursor(env.SIGNING_KEY, FEED_LISTING, String(position));
  if (cursor !== undefined && after < droppedTo) {
    const oldest = cursorAt(droppedTo);
    return fail({ kind: "cursor_expired", cursor: oldest, droppedTo: toIsoTime(droppedAt) });
  }
  // Events that were dropped because of age are older than this.
  const isTruncated = droppedAt > Date.now() - FEED_RETENTION_MS;
  return ok({
    events: events.map((event) => feedEventView(event, viewer)),
    nextCursor: cursorAt(next),
    more,
    truncatedBefore: isTruncated ? toIsoTime(droppedAt) : undefined,
  });
}
