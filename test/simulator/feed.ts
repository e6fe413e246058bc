import type { SaveDirectoryRows } from "../../src/events/directory-writer.ts";
import type { DirectoryWrite } from "../../src/tasks/model/listing.ts";
import type { FeedReceipt } from "../../src/events/feed.rpc.ts";
import { feedSourceOf, type FeedEvent } from "../../src/events/model/feed.ts";
import type { Disk } from "./disk.ts";

/**
 * A fake feed that counts how often it accepts each event. It accepts first sends as they arrive,
 * and repeated events only if it does not have them yet. test/events/late-calls.test.ts checks that
 * the real feed does the same. Unlike the real feed, the fake writes each directory row in its own
 * transaction.
 */
export class SimulatedFeed {
  readonly #storage: DurableObjectStorage;
  readonly #saveRows: SaveDirectoryRows;
  /**
   * The last repeated event of each task, as in src/events/feed.object.ts. Its first send may still
   * arrive later.
   */
  readonly #uncertainSeqs = new Map<string, number>();

  constructor({ storage }: DurableObjectState, saveRows: SaveDirectoryRows) {
    this.#storage = storage;
    this.#saveRows = saveRows;
  }

  async publish(
    events: readonly FeedEvent[],
    isFirstSend: boolean,
    write: DirectoryWrite | null,
  ): Promise<FeedReceipt> {
    const { kv } = this.#storage;
    this.#storage.transactionSync(() => {
      for (const event of events) {
        const { seq } = event;
        const source = feedSourceOf(event);
        const name = `${source}.${seq}`;
        const times = kv.get<number>(name) ?? 0;
        const uncertainSeq = this.#uncertainSeqs.get(source) ?? 0;
        if (!isFirstSend) this.#uncertainSeqs.set(source, Math.max(seq, uncertainSeq));
        if ((isFirstSend && seq > uncertainSeq) || times === 0) kv.put(name, times + 1);
      }
    });
    // Tasks must lose no event whether they collect events or send them at once.
    const isFollowed = events.length % 2 === 1;
    if (write === null) return { isRowStored: false, isFollowed };
    const written = await this.#saveRows([write]).catch(() => []);
    return { isRowStored: written.length > 0, isFollowed };
  }
}

/** Returns how often a feed has stored each event, by `<task id>.<seq>`. */
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

/** Parses events that only the feed writes. */
function eventsIn(text: string): FeedEvent[] {
  return JSON.parse(text) as FeedEvent[];
}
