import type * as z from "zod";
import type { SseMessage } from "../http/streaming.ts";
import type { Failure } from "../kernel/failure.ts";
import { ok, type Result } from "../kernel/result.ts";
import type { WatchedKey } from "../keys/key-watch.ts";
import type { Viewer } from "../keys/model/key.ts";
import { feedEventView } from "./event-view.ts";
import type { FeedPage } from "./feed.rpc.ts";
import { continuationOf, followFeed } from "./follow-feed.ts";
import {
  createExpiredFailure,
  encodeFeedCursor,
  filterOfQuery,
  findStart,
  truncatedBeforeOf,
} from "./list-events.ts";
import { NO_EVENTS } from "./model/feed.ts";
import type { listEventsQuery } from "./schemas.ts";

type FeedStreamEnv = Pick<Env, "FEED" | "DB" | "SIGNING_KEY">;

/**
 * Streams the events that a key may see: first those after the start, then `live`, then new events as they occur. Each
 * message's id is a cursor. `lastEventId`: the id of the last message that a reconnecting client received; it takes
 * precedence over the start in the query.
 */
export async function streamEvents(
  env: FeedStreamEnv,
  key: Viewer & WatchedKey,
  query: z.output<typeof listEventsQuery>,
  lastEventId: string | undefined,
  signal: AbortSignal,
): Promise<Result<AsyncIterable<SseMessage | null>, Failure>> {
  const isReconnect = lastEventId !== undefined && lastEventId !== "";
  const start = isReconnect
    ? await findStart(env, { cursor: lastEventId, path: "Last-Event-ID" })
    : await findStart(env, { ...query, path: "cursor" });
  if (!start.ok) return start;
  const { after, isCursor } = start.value;
  const filter = filterOfQuery(query, key) ?? NO_EVENTS;
  const { first, pages } = await followFeed(env, { filter, after, key }, signal);
  if (isCursor && first.droppedTo > after) return createExpiredFailure(env, first);
  return ok(toMessages(env, key, pages));
}

async function* toMessages(
  env: FeedStreamEnv,
  viewer: Viewer,
  pages: AsyncIterable<FeedPage | null>,
): AsyncGenerator<SseMessage | null> {
  let isLive = false;
  for await (const page of pages) {
    if (page === null) {
      yield null;
      continue;
    }
    for (const event of page.events) {
      const id = encodeFeedCursor(env, event.position);
      yield { event: event.type, id, data: JSON.stringify(feedEventView(event, viewer)) };
    }
    if (isLive || page.more) continue;
    isLive = true;
    // With this id, a client that has not received any event reconnects at the position where it started.
    const cursor = encodeFeedCursor(env, continuationOf(page));
    const data = { cursor, truncatedBefore: truncatedBeforeOf(page) };
    yield { event: "live", id: cursor, data: JSON.stringify(data) };
  }
}
