import type * as z from "zod";
import { invalid, type Failure } from "../domain/failure.ts";
import { instantAt, narrowed } from "../domain/feed.ts";
import type { Viewer } from "../domain/key.ts";
import { FEED_RETENTION_MS } from "../domain/limits.ts";
import { shown } from "../domain/problem.ts";
import { fail, ok, type Result } from "../domain/result.ts";
import { feedEventView } from "../tasks/event-view.ts";
import { readFeedCursor, writeFeedCursor } from "./cursor.ts";
import { feedOf, type FeedPage, type FeedPort } from "./port.ts";
import type { feedQuery } from "./wire.ts";

type Query = z.output<typeof feedQuery>;

/** One page of the events of all tasks that a viewer may see, oldest first, and where to go on from. */
export async function listEvents(
  env: Pick<Env, "FEED" | "SIGNING_KEY">,
  viewer: Viewer,
  query: Query,
): Promise<Result<object, Failure>> {
  const feed = feedOf(env.FEED);
  const after = await placeOf(env, feed, query);
  if (after === null) {
    const rule = "must be the nextCursor of an answer of this feed";
    return fail(invalid("cursor", `${rule}, got ${shown(query.cursor)}`));
  }
  const { events, next, more, droppedTo } = await pageOf(feed, viewer, query, after);
  if (query.cursor !== undefined && after < droppedTo) {
    const cursor = writeFeedCursor(env.SIGNING_KEY, droppedTo);
    return fail({ kind: "cursor_expired", cursor, droppedTo: iso(droppedTo) });
  }
  // Events dropped because of their age are older than this.
  const isTruncated = instantAt(droppedTo) > Date.now() - FEED_RETENTION_MS;
  return ok({
    events: events.map((event) => feedEventView(event, viewer)),
    nextCursor: writeFeedCursor(env.SIGNING_KEY, next),
    more,
    ...(isTruncated ? { truncatedBefore: iso(droppedTo) } : {}),
  });
}

async function placeOf(
  env: Pick<Env, "SIGNING_KEY">,
  feed: FeedPort,
  { cursor, from }: Query,
): Promise<number | null> {
  if (cursor !== undefined) return readFeedCursor(env.SIGNING_KEY, cursor);
  return from === "latest" ? feed.last() : 0;
}

async function pageOf(
  feed: FeedPort,
  viewer: Viewer,
  { type, agentId, teamId, limit }: Query,
  after: number,
): Promise<FeedPage> {
  const asked = {
    types: type ?? null,
    agentId: agentId ?? null,
    teamId: teamId ?? null,
    taskId: null,
  };
  const filter = narrowed(asked, viewer);
  return filter === null
    ? { events: [], next: after, more: false, droppedTo: 0 }
    : feed.page(filter, after, limit);
}

function iso(position: number): string {
  return new Date(instantAt(position)).toISOString();
}
