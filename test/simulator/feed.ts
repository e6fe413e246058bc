import type { FeedEvent } from "../../src/events/model/feed.ts";
import type { Disk } from "./disk.ts";

/**
 * The feed of all tasks, as its port tells it: what is certain is taken in as it comes, and of the rest
 * what it does not have. Each event is kept with how often it was taken in. That the real one does so too
 * test/events/late-calls.test.ts holds.
 */
export class SimulatedFeed {
  readonly #storage: DurableObjectStorage;
  /** As in src/events/feed.object.ts: up to which event tasks have told in doubt, which certain word may follow late. */
  readonly #doubted = new Map<string, number>();

  constructor({ storage }: DurableObjectState) {
    this.#storage = storage;
  }

  async publish(events: readonly FeedEvent[], isCertain: boolean): Promise<void> {
    const { kv } = this.#storage;
    this.#storage.transactionSync(() => {
      for (const { taskId, seq } of events) {
        const name = `${taskId}.${seq}`;
        const times = kv.get<number>(name) ?? 0;
        const doubtedSeq = this.#doubted.get(taskId) ?? 0;
        if (!isCertain) this.#doubted.set(taskId, Math.max(seq, doubtedSeq));
        if ((isCertain && seq > doubtedSeq) || times === 0) kv.put(name, times + 1);
      }
    });
  }
}

/** How often a feed's disk has each event, by `<task id>.<seq>`. */
export function countFeedEvents({ kv, sqlite }: Disk): ReadonlyMap<string, number> {
  if (sqlite === null) return new Map([...kv].map(([name, times]) => [name, Number(times)]));
  const times = new Map<string, number>();
  if (!sqlite.tables().includes("batches")) return times;
  for (const { events } of sqlite.read("SELECT events FROM batches", [])) {
    for (const { taskId, seq } of eventsIn(String(events))) {
      const name = `${taskId}.${seq}`;
      times.set(name, (times.get(name) ?? 0) + 1);
    }
  }
  return times;
}

/** Only the feed writes these rows. */
function eventsIn(text: string): FeedEvent[] {
  return JSON.parse(text) as FeedEvent[];
}
