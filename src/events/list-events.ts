import type * as z from "zod";
import { createFieldFailure, type Failure } from "../kernel/failure.ts";
import { instantOfPosition, narrowFilter } from "./model/feed.ts";
import type { Viewer } from "../keys/model/key.ts";
import { FEED_RETENTION_MS } from "./limits.ts";
import { toIsoTime } from "../kernel/text.ts";
import { preview, fail, ok, type Result } from "../kernel/result.ts";
import { feedEventView } from "./event-view.ts";
import { feedStub, type FeedPage, type FeedRpc } from "./feed.rpc.ts";
import type { listEventsQuery } from "./schemas.ts";
import type { FeedPageResponse } from "../tasks/api/event-schemas.ts";
import { decodeNumberCursor, encodeCursor, type CursorScope } from "../http/cursor.ts";

/** Cursors of the feed are valid for any filter. */
const FEED_LISTING: CursorScope = { use: "feed", filter: [] };

function writeFeedCursor(secret: string, position: number): string {
  return encodeCursor(secret, FEED_LISTING, String(position));
}

type Query = z.output<typeof listEventsQuery>;

/** One page of the events that a viewer may see, oldest first, with the cursor of the next page. */
export async function listEvents(
  env: Pick<Env, "FEED" | "SIGNING_KEY">,
  viewer: Viewer,
  query: Query,
): Promise<Result<FeedPageResponse, Failure>> {
  const feed = feedStub(env.FEED);
  const after = await findStartPosition(env, feed, query);
  if (after === null) {
    const rule = "must be the nextCursor of an answer of this feed";
    return fail(createFieldFailure("cursor", `${rule}, got ${preview(query.cursor)}`));
  }
  const { events, next, more, droppedTo } = await readVisiblePage(feed, viewer, query, after);
  if (query.cursor !== undefined && after < droppedTo) {
    const cursor = writeFeedCursor(env.SIGNING_KEY, droppedTo);
    return fail({
      kind: "cursor_expired",
      cursor,
      droppedTo: toIsoTime(instantOfPosition(droppedTo)),
    });
  }
  // Events dropped because of their age are older than this.
  const isTruncated = instantOfPosition(droppedTo) > Date.now() - FEED_RETENTION_MS;
  return ok({
    events: events.map((event) => feedEventView(event, viewer)),
    nextCursor: writeFeedCursor(env.SIGNING_KEY, next),
    more,
    truncatedBefore: isTruncated ? toIsoTime(instantOfPosition(droppedTo)) : undefined,
  });
}

async function findStartPosition(
  env: Pick<Env, "SIGNING_KEY">,
  feed: FeedRpc,
  { cursor, from }: Query,
): Promise<number | null> {
  if (cursor !== undefined) return decodeNumberCursor(env.SIGNING_KEY, FEED_LISTING, cursor);
  return from === "latest" ? feed.readLastPosition() : 0;
}

async function readVisiblePage(
  feed: FeedRpc,
  viewer: Viewer,
  { type, agentId, teamId, limit }: Query,
  after: number,
): Promise<FeedPage> {
  const requested = {
    types: type ?? null,
    agentId: agentId ?? null,
    teamId: teamId ?? null,
    taskId: null,
  };
  const filter = narrowFilter(requested, viewer);
  return filter === null
    ? { events: [], next: after, more: false, droppedTo: 0 }
    : feed.readPage(filter, after, limit);
}
