import { feedStub } from "../../events/feed.rpc.ts";
import { STORE_TIMEOUT_MS } from "../../platform/limits.ts";
import { log } from "../../platform/log.ts";
import { withTimeout } from "../../platform/promises.ts";
import type { LimitEvent } from "../model/spending/limit.ts";
import { limitFeedEvent } from "./limit-events.ts";

/** `seq` numbers the events of all limits, so the numbers of one limit increase with gaps. */
interface PendingEvent {
  readonly seq: number;
  readonly event: LimitEvent;
}

/** Field names must not change, because they are stored. */
interface StoredOutbox {
  readonly lastSeq: number;
  readonly pending: readonly PendingEvent[];
}

const OUTBOX_KEY = "events";

/** The events of limits that the feed does not know yet. */
export class LimitEventOutbox {
  readonly #env: Pick<Env, "FEED">;
  readonly #kv: DurableObjectStorage["kv"];

  constructor(env: Pick<Env, "FEED">, kv: DurableObjectStorage["kv"]) {
    this.#env = env;
    this.#kv = kv;
  }

  #load(): StoredOutbox {
    return this.#kv.get<StoredOutbox>(OUTBOX_KEY) ?? { lastSeq: 0, pending: [] };
  }

  /** Stores events. Call this in the transaction that stores that they have occurred. */
  add(events: readonly LimitEvent[]): void {
    const { lastSeq, pending } = this.#load();
    const added = events.map((event, index) => ({ seq: lastSeq + 1 + index, event }));
    const outbox = { lastSeq: lastSeq + added.length, pending: [...pending, ...added] };
    this.#kv.put<StoredOutbox>(OUTBOX_KEY, outbox);
  }

  /** When the oldest event that the feed does not know occurred; null if the feed knows all events. */
  pendingSince(): number | null {
    return this.#load().pending[0]?.event.at ?? null;
  }

  /** Sends the events to the feed, which skips those that it has already stored. */
  async publish(): Promise<void> {
    const published = new Set<number>();
    // The feed accepts the events of one limit at a time.
    for (const [limitId, events] of Map.groupBy(this.#load().pending, limitIdOf)) {
      const feedEvents = events.map(({ seq, event }) => limitFeedEvent(event, seq));
      try {
        await withTimeout(STORE_TIMEOUT_MS, feedStub(this.#env.FEED).publish(feedEvents, false));
        for (const { seq } of events) published.add(seq);
      } catch (error) {
        log.warn("limit_events_failed", { limitId, error });
      }
    }
    if (published.size === 0) return;
    // Further events may have been added meanwhile.
    const { lastSeq, pending } = this.#load();
    const left = pending.filter(({ seq }) => !published.has(seq));
    this.#kv.put<StoredOutbox>(OUTBOX_KEY, { lastSeq, pending: left });
  }
}

function limitIdOf({ event }: PendingEvent): string {
  return event.limit.id;
}
