import type { FeedEvent, FeedFilter, PositionedEvent } from "./model/feed.ts";
import { toRpc } from "../platform/request-id.ts";

export interface FeedPage {
  readonly events: readonly PositionedEvent[];
  /** Where to go on from: past everything that this page has looked at, whether it passed or not. */
  readonly next: number;
  /** Whether there is more behind it already. */
  readonly more: boolean;
  /** The position of the last event dropped because of its age or lack of space; 0 for none. */
  readonly droppedTo: number;
}

/** The feed of all tasks' events, in the order in which they came in. Positions as in PlacedEvent. */
export interface FeedRpc {
  /**
   * Takes in events of one task, oldest first; done when they are kept. `isCertain`: none of them has
   * been taken in before; otherwise those that were are left out.
   */
  publish(events: readonly FeedEvent[], isCertain: boolean): Promise<void>;
  /** Events behind a position that pass, oldest first; `after` 0 for the oldest that is kept. */
  readPage(filter: FeedFilter, after: number, limit: number): Promise<FeedPage>;
  /** The position of the last event, 0 for none. */
  readLastPosition(): Promise<number>;
  /** Reads the list of webhooks again, because it has changed. */
  refreshSubscribers(): Promise<void>;
}

/** The one feed. */
export function feedStub(feeds: Env["FEED"]): FeedRpc {
  return toRpc(feeds.get(feeds.idFromName("feed")));
}
