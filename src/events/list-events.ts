import type * as z from "zod";
import { createFieldFailure, type Failure } from "../kernel/failure.ts";
import {
  instantOfPosition,
  narrowFilter,
  POSITIONS_PER_MS,
  type FeedFilter,
} from "./model/feed.ts";
import type { Viewer } from "../keys/model/key.ts";
import { FEED_RETENTION_MS } from "./limits.ts";
import { toIsoTime } from "../kernel/text.ts";
import { preview, fail, ok, type Result } from "../kernel/result.ts";
import { feedEventView } from "./event-view.ts";
import { feedStub, type FeedPage } from "./feed.rpc.ts";
import type { listEventsQuery } from "./schemas.ts";
import type { FeedPageResponse } from "./event-schemas.ts";
import { decodeNumberCursor, encodeCursor, type CursorScope } from "../http/cursor.ts";

type EventsQuery = z.output<typeof listEventsQuery>;

/** Feed cursors are valid with any filter. */
const FEED_LISTING: CursorScope = { use: "feed", filter: [] };

/** One page of the events that a viewer may see, oldest first, with the cursor for the next page. */
export async function listEvents(
  env: Pick<Env, "FEED" | "SIGNING_KEY">,
  viewer: Viewer,
  query: EventsQuery,
): Promise<Result<FeedPageResponse, Failure>> {
  const start = await findStart(env, { ...query, path: "cursor" });
  if (!start.ok) return start;
  const { after, isCursor } = start.value;
  const filter = filterOfQuery(query, viewer);
  const page: FeedPage =
    filter === null
      ? { events: [], next: after, more: false, droppedTo: 0 }
      : await feedStub(env.FEED).readPage(filter, after, query.limit);
  if (isCursor && after < page.droppedTo) return createExpiredFailure(env, page);
  return ok({
    events: page.events.map((event) => feedEventView(event, viewer)),
    nextCursor: encodeFeedCursor(env, page.next),
    more: page.more,
    truncatedBefore: truncatedBeforeOf(page),
  });
}

/** The filter in a query, limited to what the viewer may see; null if no event can match. */
export function filterOfQuery(query: EventsQuery, viewer: Viewer): FeedFilter | null {
  const { type: types = null, agentId = null, teamId = null } = query;
  return narrowFilter({ types, agentId, teamId, taskId: null }, viewer);
}

/** Where a request starts to read. A `Last-Event-ID` is a cursor, too. */
interface RequestedStart extends Partial<Pick<EventsQuery, "from" | "since">> {
  readonly cursor?: string | undefined;
  readonly path: "cursor" | "Last-Event-ID";
}

const CURSOR_RULES = {
  cursor: "must be a nextCursor from this feed",
  "Last-Event-ID": "must be the id of a message from a stream of this feed",
};

/** The position to start after, and whether it comes from a cursor. Fails if the cursor is invalid. */
export async function findStart(
  env: Pick<Env, "FEED" | "SIGNING_KEY">,
  { cursor, from, since, path }: RequestedStart,
): Promise<Result<{ after: number; isCursor: boolean }, Failure>> {
  if (cursor === undefined) {
    const oldest = since === undefined ? 0 : Math.max(0, since * POSITIONS_PER_MS - 1);
    const after = from === "latest" ? await feedStub(env.FEED).readLastPosition() : oldest;
    return ok({ after, isCursor: false });
  }
  const after = decodeNumberCursor(env.SIGNING_KEY, FEED_LISTING, cursor);
  if (after !== null) return ok({ after, isCursor: true });
  return fail(createFieldFailure(path, `${CURSOR_RULES[path]}, got ${preview(cursor)}`));
}

/** The failure of a request whose cursor points to dropped events. Its context contains a cursor to continue from. */
export function createExpiredFailure(
  env: Pick<Env, "SIGNING_KEY">,
  { droppedTo }: FeedPage,
): Result<never, Failure> {
  return fail({
    kind: "cursor_expired",
    cursor: encodeFeedCursor(env, droppedTo),
    droppedTo: toIsoTime(instantOfPosition(droppedTo)),
  });
}

export function encodeFeedCursor(env: Pick<Env, "SIGNING_KEY">, position: number): string {
  return encodeCursor(env.SIGNING_KEY, FEED_LISTING, String(position));
}

/** When the feed received the newest event that it dropped early; undefined if there is none. */
export function truncatedBeforeOf({ droppedTo }: FeedPage): string | undefined {
  const droppedAt = instantOfPosition(droppedTo);
  // Events that were dropped because of age are older than this.
  return droppedAt > Date.now() - FEED_RETENTION_MS ? toIsoTime(droppedAt) : undefined;
}
