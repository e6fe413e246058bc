import type { FeedEvent, FeedFilter, PlacedEvent } from "../domain/feed.ts";

export interface FeedPage {
  readonly events: readonly PlacedEvent[];
  /** Where to go on from: past everything that this page has looked at, whether it passed or not. */
  readonly next: number;
  /** Whether there is more behind it already. */
  readonly more: boolean;
  /** The position of the last event dropped because of its age or lack of space; 0 for none. */
  readonly droppedTo: number;
}

/** The feed of all tasks' events, in the order in which they came in. Positions as in PlacedEvent. */
export interface FeedPort {
  /**
   * Takes in events of one task, oldest first; done when they are kept. `isCertain`: none of them has
   * been taken in before; otherwise those that were are left out.
   */
  announce(events: readonly FeedEvent[], isCertain: boolean): Promise<void>;
  /** Events behind a position that pass, oldest first; `after` 0 for the oldest that is kept. */
  page(filter: FeedFilter, after: number, limit: number): Promise<FeedPage>;
  /** The position of the last event, 0 for none. */
  last(): Promise<number>;
  /** Reads the list of webhooks again, because it has changed. */
  refresh(): Promise<void>;
}

/** The one feed. */
export function feedOf(feeds: Env["FEED"]): FeedPort {
  return portOf(feeds.get(feeds.idFromName("feed")));
}

/** EventFeed implements FeedPort, which holds only what RPC carries unchanged. */
function portOf(stub: DurableObjectStub): FeedPort {
  return stub as unknown as FeedPort;
}
