import { buildSegmentKeys, type SegmentKeys } from "./model/feed-segment.ts";
import type { FeedEvent } from "./model/feed.ts";
import {
  FEED_SEGMENT_CHARACTERS_MAX,
  FEED_SEGMENT_EVENTS_MAX,
  FEED_SEGMENTS_PER_RUN_MAX,
} from "./limits.ts";

/** The events in one row of the feed and the position of the last event. */
export interface StoredBatch {
  readonly last: number;
  readonly characters: number;
  readonly events: readonly FeedEvent[];
}

interface SegmentRow extends Record<string, SqlStorageValue> {
  last: number;
  keys: ArrayBuffer;
}

/** The number of events and characters after the last segment. */
interface UnindexedTail {
  events: number;
  characters: number;
}

/**
 * The feed's index. Each row is a segment, which lists the agents, teams, tasks and types of up to about a thousand
 * events so that readers can skip segments without a match. Segments are contiguous and start at the oldest event. The
 * newest events, and all events of a feed that has not been indexed yet, are in no segment.
 */
export class FeedIndex {
  readonly #sql: SqlStorage;
  /** Undefined until counted. */
  #tail: UnindexedTail | undefined;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  createTable(): void {
    this.#sql.exec(
      "CREATE TABLE IF NOT EXISTS segments (last INTEGER PRIMARY KEY, keys BLOB NOT NULL)",
    );
  }

  /** Segments that end after a position, oldest first, each with the position of its last event. */
  *listAfter(position: number): Generator<{ last: number; keys: SegmentKeys }> {
    const rows = this.#sql.exec<SegmentRow>(
      "SELECT last, keys FROM segments WHERE last > ? ORDER BY last",
      position,
    );
    for (const { last, keys } of rows) yield { last, keys: new Uint32Array(keys) };
  }

  /** Deletes segments that end at or before a position. */
  deleteUpTo(position: number): void {
    this.#sql.exec("DELETE FROM segments WHERE last <= ?", position);
  }

  countAppended(events: number, characters: number): void {
    if (this.#tail === undefined) return;
    this.#tail.events += events;
    this.#tail.characters += characters;
  }

  /** Writes complete segments, a few at a time. Returns whether there are more. */
  extend(readBatchesAfter: (position: number) => Iterable<StoredBatch>): boolean {
    if (this.#tail !== undefined && !isSegmentFull(this.#tail)) return false;
    this.#tail = undefined;
    for (let count = 0; count < FEED_SEGMENTS_PER_RUN_MAX; count += 1) {
      const tail = this.#extendOnce(readBatchesAfter);
      if (tail === null) continue;
      this.#tail = tail;
      return false;
    }
    return true;
  }

  /** Returns null if a segment was written, otherwise the tail after the last segment. */
  #extendOnce(readBatchesAfter: (position: number) => Iterable<StoredBatch>): UnindexedTail | null {
    const tail = { events: 0, characters: 0 };
    const events: FeedEvent[] = [];
    for (const batch of readBatchesAfter(this.#last())) {
      events.push(...batch.events);
      tail.events += batch.events.length;
      tail.characters += batch.characters;
      if (!isSegmentFull(tail)) continue;
      this.#sql.exec(
        "INSERT INTO segments (last, keys) VALUES (?, ?)",
        batch.last,
        buildSegmentKeys(events).buffer,
      );
      return null;
    }
    return tail;
  }

  #last(): number {
    const rows = this.#sql.exec<{ last: number | null }>("SELECT max(last) AS last FROM segments");
    return rows.one().last ?? 0;
  }
}

function isSegmentFull({ events, characters }: UnindexedTail): boolean {
  return events >= FEED_SEGMENT_EVENTS_MAX || characters >= FEED_SEGMENT_CHARACTERS_MAX;
}
