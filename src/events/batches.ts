import { passes, type FeedEvent, type FeedFilter, type PlacedEvent } from "../domain/feed.ts";
import {
  FEED_DOUBT_MS,
  FEED_RETENTION_MS,
  FEED_ROW_CHARACTERS_MAX,
  FEED_SCAN_CHARACTERS_MAX,
} from "../domain/limits.ts";
import type { FeedPage } from "./port.ts";

/** Positions are instants in microseconds, moved on where the clock has not: so a time is a place, too. */
const POSITIONS_A_MS = 1_000;

interface BatchRow extends Record<string, SqlStorageValue> {
  position: number;
  events: string;
}

/**
 * The feed in its object's SQLite: what comes in together is one row, keyed by the position of its first
 * event; the others follow by one each. Rows are what is paid for, and not how much they hold.
 */
export class Batches {
  readonly #storage: DurableObjectStorage;
  #last: number | undefined;

  constructor(storage: DurableObjectStorage) {
    this.#storage = storage;
  }

  /** The position of the last event, 0 for none. */
  last(): number {
    return (this.#last ??= this.#lastWritten());
  }

  /** Writes events behind all others, and lets go of what is too old. */
  append(events: readonly FeedEvent[], now: number): void {
    const rows: BatchRow[] = [];
    let position = Math.max(this.last() + 1, now * POSITIONS_A_MS);
    for (const chunk of chunks(events)) {
      rows.push({ position, events: `[${chunk.join(",")}]` });
      position += chunk.length;
    }
    const { sql } = this.#storage;
    this.#storage.transactionSync(() => {
      sql.exec(
        "CREATE TABLE IF NOT EXISTS batches (position INTEGER PRIMARY KEY, events TEXT NOT NULL)",
      );
      for (const row of rows) {
        sql.exec("INSERT INTO batches (position, events) VALUES (?, ?)", row.position, row.events);
      }
      const oldest = (now - FEED_RETENTION_MS) * POSITIONS_A_MS;
      sql.exec("DELETE FROM batches WHERE position < ?", oldest);
    });
    this.#last = position - 1;
  }

  page(filter: FeedFilter, after: number, limit: number): FeedPage {
    const events: PlacedEvent[] = [];
    let next = after;
    let characters = 0;
    for (const { event, characters: size } of this.#behind(after)) {
      if (events.length === limit || characters > FEED_SCAN_CHARACTERS_MAX) {
        return { events, next, more: true };
      }
      characters += size;
      next = event.position;
      if (passes(filter, event)) events.push(event);
    }
    return { events, next, more: false };
  }

  /** Those of some events that the feed has already: looked for around the time when they happened. */
  known(events: readonly FeedEvent[]): Set<string> {
    const instants = events.map(({ at }) => Date.parse(at));
    const names = new Set(events.map(nameOf));
    const upTo = (Math.max(...instants) + FEED_DOUBT_MS) * POSITIONS_A_MS;
    const found = new Set<string>();
    for (const { event } of this.#behind(Math.min(...instants) * POSITIONS_A_MS - 1)) {
      if (event.position > upTo) break;
      const name = nameOf(event);
      if (names.has(name)) found.add(name);
    }
    return found;
  }

  *#behind(after: number): Generator<{ event: PlacedEvent; characters: number }> {
    if (!this.#exists()) return;
    // The batch that begins at or before the place may reach behind it.
    const rows = this.#storage.sql.exec<BatchRow>(
      `SELECT position, events FROM batches
       WHERE position >= coalesce((SELECT max(position) FROM batches WHERE position <= ?), 0)
       ORDER BY position`,
      after,
    );
    for (const row of rows) {
      let characters = row.events.length;
      for (const [index, event] of eventsOf(row).entries()) {
        const position = row.position + index;
        if (position > after) yield { event: { ...event, position }, characters };
        characters = 0;
      }
    }
  }

  #lastWritten(): number {
    if (!this.#exists()) return 0;
    const row = this.#storage.sql
      .exec<BatchRow>("SELECT position, events FROM batches ORDER BY position DESC LIMIT 1")
      .next().value;
    return row === undefined ? 0 : row.position + eventsOf(row).length - 1;
  }

  #exists(): boolean {
    const tables = this.#storage.sql.exec(
      "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'batches'",
    );
    return tables.next().done !== true;
  }
}

/** What tells an event from all others. */
export function nameOf({ taskId, seq }: FeedEvent): string {
  return `${taskId}.${seq}`;
}

/** Events as JSON, as many together as a row should hold. */
function chunks(events: readonly FeedEvent[]): string[][] {
  const all: string[][] = [[]];
  let characters = 0;
  for (const event of events) {
    const text = JSON.stringify(event);
    if (characters > 0 && characters + text.length > FEED_ROW_CHARACTERS_MAX) {
      all.push([]);
      characters = 0;
    }
    all.at(-1)?.push(text);
    characters += text.length;
  }
  return all;
}

/** Only `append` writes this table. */
function eventsOf({ events }: BatchRow): FeedEvent[] {
  return JSON.parse(events) as FeedEvent[];
}
