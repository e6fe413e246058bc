import type { SaveDirectoryRows } from "../../src/events/directory-writer.ts";
import type { DirectoryWrite } from "../../src/tasks/model/listing.ts";
import type { FeedEvent } from "../../src/events/model/feed.ts";
import type { Disk } from "./disk.ts";

/**
 * A fake of the feed: it accepts certain events as they arrive, and of uncertain ones those that it lacks.
 * It counts how often it accepts each event. test/events/late-calls.test.ts checks that the real feed accepts events in
 * the same way. Unlike the real feed, this one writes each directory row in its own transaction.
 */
export class SimulatedFeed {
  readonly #storage: DurableObjectStorage;
  readonly #saveRows: SaveDirectoryRows;
  /** As in src/events/feed.object.ts: the last uncertain event of each task; a certain publish may arrive later. */
  readonly #uncertainSeqs = new Map<string, number>();

  constructor({ storage }: DurableObjectState, saveRows: SaveDirectoryRows) {
    this.#storage = storage;
    this.#saveRows = saveRows;
  }

  async publish(
    events: readonly FeedEvent[],
    isFirstSend: boolean,
    write: DirectoryWrite | null,
  ): Promise<boolean> {
    const { kv } = this.#storage;
    this.#storage.transactionSync(() => {
      for (const { taskId, seq } of events) {
        const name = `${taskId}.${seq}`;
        const times = kv.get<number>(name) ?? 0;
        const uncertainSeq = this.#uncertainSeqs.get(taskId) ?? 0;
        if (!isFirstSend) this.#uncertainSeqs.set(taskId, Math.max(seq, uncertainSeq));
        if ((isFirstSend && seq > uncertainSeq) || times === 0) kv.put(name, times + 1);
      }
    });
    if (write === null) return false;
    const written = await this.#saveRows([write]).catch(() => []);
    return written.length > 0;
  }
}

/** How often each event is in a feed's storage, by `<task id>.<seq>`. */
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

/** Parses rows that only the feed writes. */
function eventsIn(text: string): FeedEvent[] {
  return JSON.parse(text) as FeedEvent[];
}
