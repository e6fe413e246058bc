import { segmentKeysOf, type SegmentKeys } from "../domain/feed-segment.ts";
import type { FeedEvent } from "../domain/feed.ts";
import {
  FEED_SEGMENT_CHARACTERS_MAX,
  FEED_SEGMENT_EVENTS_MAX,
  FEED_SEGMENTS_A_RUN_MAX,
} from "../domain/limits.ts";

/** The events of one row of the feed, and the position of the last one. */
export interface StoredBatch {
  readonly last: number;
  readonly characters: number;
  readonly events: readonly FeedEvent[];
}

interface SegmentRow extends Record<string, SqlStorageValue> {
  last: number;
  keys: ArrayBuffer;
}

/** How much lies behind the last segment. */
interface Tail {
  events: number;
  characters: number;
}

/**
 * The index of the feed: one row for about a thousand events says what occurs in them, so that a reader
 * skips those without a match. Segments follow each other without gaps, from the oldest event on; the
 * newest events, and those of a feed that has not been indexed yet, are in none.
 */
export class Segments {
  readonly #sql: SqlStorage;
  /** Undefined until it has been counted. */
  #tail: Tail | undefined;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  makeTable(): void {
    this.#sql.exec(
      "CREATE TABLE IF NOT EXISTS segments (last INTEGER PRIMARY KEY, keys BLOB NOT NULL)",
    );
  }

  /** Segments that end behind a position, oldest first, each with the position of its last event. */
  *behind(position: number): Generator<{ last: number; keys: SegmentKeys }> {
    const rows = this.#sql.exec<SegmentRow>(
      "SELECT last, keys FROM segments WHERE last > ? ORDER BY last",
      position,
    );
    for (const { last, keys } of rows) yield { last, keys: new Uint32Array(keys) };
  }

  /** Deletes segments that end at or before a position. */
  dropTo(position: number): void {
    this.#sql.exec("DELETE FROM segments WHERE last <= ?", position);
  }

  /** A batch was stored behind all others. */
  added(events: number, characters: number): void {
    if (this.#tail === undefined) return;
    this.#tail.events += events;
    this.#tail.characters += characters;
  }

  /**
   * Writes the segments that are complete, a few at a time; `batchesBehind` reads the feed behind a
   * position. Returns whether there are more.
   */
  extend(batchesBehind: (position: number) => Iterable<StoredBatch>): boolean {
    if (this.#tail !== undefined && !isFull(this.#tail)) return false;
    this.#tail = undefined;
    for (let count = 0; count < FEED_SEGMENTS_A_RUN_MAX; count += 1) {
      const tail = this.#extendOnce(batchesBehind);
      if (tail === null) continue;
      this.#tail = tail;
      return false;
    }
    return true;
  }

  /** Null once a segment was written; otherwise what there is behind the last one. */
  #extendOnce(batchesBehind: (position: number) => Iterable<StoredBatch>): Tail | null {
    const tail = { events: 0, characters: 0 };
    const events: FeedEvent[] = [];
    for (const batch of batchesBehind(this.#last())) {
      events.push(...batch.events);
      tail.events += batch.events.length;
      tail.characters += batch.characters;
      if (!isFull(tail)) continue;
      this.#sql.exec(
        "INSERT INTO segments (last, keys) VALUES (?, ?)",
        batch.last,
        segmentKeysOf(events).buffer,
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

function isFull({ events, characters }: Tail): boolean {
  return events >= FEED_SEGMENT_EVENTS_MAX || characters >= FEED_SEGMENT_CHARACTERS_MAX;
}
