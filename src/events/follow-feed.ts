import type { WatchedKey } from "../keys/key-watch.ts";
import { KeyWatch } from "../keys/key-watch.ts";
import { PAGE_LIMIT_MAX, STREAM_LIFE_MS } from "../kernel/limits.ts";
import { ChangeNotifications } from "../platform/change-notifications.ts";
import { PING_INTERVAL_MS } from "../tasks/limits.ts";
import { feedStub, watchFeed, type FeedPage, type FeedRpc } from "./feed.rpc.ts";
import { FEED_STREAM_READ_MS } from "./limits.ts";
import type { FeedFilter } from "./model/feed.ts";

/** The followed part of the feed, and the key that must stay valid. */
interface FeedSource {
  readonly filter: FeedFilter;
  readonly after: number;
  readonly key: WatchedKey;
}

export interface FollowedFeed {
  /** The first page after the position. `pages` starts with it. */
  readonly first: FeedPage;
  /**
   * All pages, as events occur, without gaps or repeats. They end when `signal` aborts, when the key is revoked or
   * expires, when the feed drops events that have not been read, or after a maximum time. `null`: nothing has happened
   * for a while (write a ping).
   */
  readonly pages: AsyncIterable<FeedPage | null>;
}

/** Follows the feed after a position. The caller must read `pages` or abort `signal`. */
export async function followFeed(
  env: Pick<Env, "FEED" | "DB">,
  { filter, after, key: watched }: FeedSource,
  signal: AbortSignal,
): Promise<FollowedFeed> {
  const feed = feedStub(env.FEED);
  // Open the socket before the first read, so no event is missed in between.
  const socket = await watchFeed(env.FEED, { filter, keyId: watched.id });
  signal.addEventListener("abort", () => socket?.close(), { once: true });
  const first = await feed.readPage(filter, after, PAGE_LIMIT_MAX);
  const key = new KeyWatch(env, watched);
  return { first, pages: readLivePages({ feed, filter, first, key, socket }, signal) };
}

interface LiveSource {
  readonly feed: FeedRpc;
  readonly filter: FeedFilter;
  readonly first: FeedPage;
  readonly key: KeyWatch;
  readonly socket: WebSocket | null;
}

/** Yields a page, waits for a notification (which has no content), and reads the next page. */
async function* readLivePages(
  { feed, filter, first, key, socket }: LiveSource,
  signal: AbortSignal,
): AsyncGenerator<FeedPage | null> {
  const endsAt = Date.now() + STREAM_LIFE_MS;
  key.start();
  const notifications = new ChangeNotifications(socket, AbortSignal.any([signal, key.signal]));
  try {
    for (let page = first; ;) {
      const readAt = performance.now();
      yield page;
      while (!page.more) {
        const next = await notifications.next(PING_INTERVAL_MS);
        if (next === "changed") break;
        if (next === "over" || Date.now() >= endsAt) return;
        yield null;
      }
      if (!page.more) {
        await scheduler.wait(Math.max(0, readAt + FEED_STREAM_READ_MS - performance.now()));
      }
      const position = continuationOf(page);
      page = await feed.readPage(filter, position, PAGE_LIMIT_MAX);
      const isOver = signal.aborted || key.signal.aborted || Date.now() >= endsAt;
      if (isOver || page.droppedTo > position) return;
    }
  } finally {
    key.stop();
    socket?.close();
  }
}

/** The position to continue from after a page. The feed can drop events before the first one that it returns. */
export function continuationOf({ next, droppedTo }: FeedPage): number {
  return Math.max(next, droppedTo);
}
