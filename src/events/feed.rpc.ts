import type { FeedEvent, FeedFilter, PositionedEvent } from "./model/feed.ts";
import { ROOT_KEY_ID } from "../keys/model/key.ts";
import type { DirectoryWrite } from "../tasks/model/listing.ts";
import { withRequestId } from "../platform/request-id.ts";
import { openChangeSocket } from "../platform/subscribers.ts";

export interface FeedPage {
  readonly events: readonly PositionedEvent[];
  /** The position after which the next page starts. */
  readonly next: number;
  readonly more: boolean;
  /** The position of the last event dropped because of age or lack of space; 0 if there is none. */
  readonly droppedTo: number;
}

/** What the feed did with a task's events and row. */
export interface FeedReceipt {
  /** Whether the directory is known to contain the row or a newer version of it; false if no row was sent. */
  readonly isRowStored: boolean;
  /** Whether a client follows the feed's stream and the feed is not busy, so that tasks should send each event at once. */
  readonly isFollowed: boolean;
}

/** The event feed of all tasks, in order of arrival. For positions, see PositionedEvent. */
export interface FeedRpc {
  /**
   * Stores one task's events, oldest first, and skips those that are already stored or too old. `isFirstSend` means
   * that the task has not sent these events before, so none of them is stored yet. If `write` contains a directory row,
   * also tries to write it in one transaction with other tasks' rows. A feed from an earlier release returns only whether
   * the row is stored, or writes no rows and returns undefined.
   */
  publish(
    events: readonly FeedEvent[],
    isFirstSend: boolean,
    write?: DirectoryWrite | null,
  ): Promise<FeedReceipt | boolean | undefined>;
  /** Matching events after a position, oldest first. If `after` is 0, starts with the oldest stored event. */
  readPage(filter: FeedFilter, after: number, limit: number): Promise<FeedPage>;
  /** The position of the last event; 0 if there is none. */
  readLastPosition(): Promise<number>;
  /** Rereads the list of webhooks after a change. */
  refreshSubscribers(): Promise<void>;
}

/** There is only one feed. */
export function feedStub(feeds: Env["FEED"]): FeedRpc {
  return withRequestId(objectStub(feeds));
}

/** What a stream follows, and the key that opened it. */
export interface FeedWatch {
  readonly filter: FeedFilter;
  readonly keyId: string;
}

/**
 * Opens a WebSocket that receives a message when the feed has stored events that match the filter. Returns null if the
 * feed, or the key with the id `keyId`, has too many streams.
 */
export function watchFeed(
  feeds: Env["FEED"],
  { filter, keyId }: FeedWatch,
): Promise<WebSocket | null> {
  const query = new URLSearchParams({ filter: JSON.stringify(filter), keyId });
  return openChangeSocket(objectStub(feeds), `https://feed/?${query.toString()}`);
}

/**
 * The watch in the URL of a request that `watchFeed` sent. The cast is safe because nothing else sends requests. A
 * Worker from an earlier release sends no key, so its streams count only towards the total limit.
 */
export function readWatchOfUrl(url: string): FeedWatch {
  const { searchParams } = new URL(url);
  const filter = JSON.parse(searchParams.get("filter") ?? "") as FeedFilter;
  return { filter, keyId: searchParams.get("keyId") ?? ROOT_KEY_ID };
}

function objectStub(feeds: Env["FEED"]): DurableObjectStub {
  return feeds.get(feeds.idFromName("feed"));
}
