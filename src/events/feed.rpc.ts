import type { FeedEvent, FeedFilter, PositionedEvent } from "./model/feed.ts";
import type { DirectoryWrite } from "../tasks/model/listing.ts";
import { withRequestId } from "../platform/request-id.ts";

export interface FeedPage {
  readonly events: readonly PositionedEvent[];
  /** The position after which the next page starts. */
  readonly next: number;
  readonly more: boolean;
  /** The position of the last event dropped because of its age or lack of space; 0 for none. */
  readonly droppedTo: number;
}

/** The feed of all tasks' events, in order of arrival. Positions as in PositionedEvent. */
export interface FeedRpc {
  /**
   * Stores events of one task, oldest first. Skips events that are already stored or too old; `isFirstSend`: the task
   * has not sent them before, so none is stored yet. Also tries to write the directory row in `write`, if any, in a
   * transaction with rows of other tasks. Returns whether the directory is known to have this row or a newer version
   * (false without `write`); undefined from a feed of an earlier release, which writes no rows.
   */
  publish(
    events: readonly FeedEvent[],
    isFirstSend: boolean,
    write?: DirectoryWrite | null,
  ): Promise<boolean | undefined>;
  /** Matching events after a position, oldest first. If `after` is 0, begins with the oldest stored event. */
  readPage(filter: FeedFilter, after: number, limit: number): Promise<FeedPage>;
  /** The position of the last event, 0 for none. */
  readLastPosition(): Promise<number>;
  /** Reads the list of webhooks again, because it has changed. */
  refreshSubscribers(): Promise<void>;
}

/** The only feed. */
export function feedStub(feeds: Env["FEED"]): FeedRpc {
  return withRequestId(feeds.get(feeds.idFromName("feed")));
}
