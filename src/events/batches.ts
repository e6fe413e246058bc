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
/** By how much the clocks of two objects may differ. */
const CLOCK_SKEW_MS = 60_000;
/** Up to which position events have been let go of. */
const PRUNED = "pruned";

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
      this.#prune((now - FEED_RETENTION_MS) * POSITIONS_A_MS);
    });
    this.#last = position - 1;
  }

  #prune(oldest: number): void {
    const { sql, kv } = this.#storage;
    const gone = sql
      .exec<{ position: number | null }>(
        "SELECT max(position) AS position FROM batches WHERE position < ?",
        oldest,
      )
      .one().position;
    if (gone === null) return;
    sql.exec("DELETE FROM batches WHERE position <= ?", gone);
    kv.put(PRUNED, gone);
  }

  page(filter: FeedFilter, after: number, limit: number): FeedPage {
    const isCut = after > 0 && after < (this.#storage.kv.get<number>(PRUNED) ?? 0);
    const events: PlacedEvent[] = [];
    let next = after;
    let characters = 0;
    for (const { event, characters: size } of this.#behind(after)) {
      if (events.length === limit || characters > FEED_SCAN_CHARACTERS_MAX) {
        return { events, next, more: true, isCut };
      }
      characters += size;
      next = event.position;
      if (passes(filter, event)) events.push(event);
    }
    return { events, next, more: false, isCut };
  }

  /**
   * Those of a task's events that the feed has already. It looks around the times when they happened and
   * at what came in lately, and reads no more of that than what names the task.
   */
  known(events: readonly FeedEvent[], now: number): Set<string> {
    const found = new Set<string>();
    const taskId = events[0]?.taskId;
    if (taskId === undefined || !this.#exists()) return found;
    const instants = events.map(({ at }) => Date.parse(at));
    for (const [from, to] of spans([...instants, now - FEED_DOUBT_MS])) {
      const rows = this.#storage.sql.exec<BatchRow>(
        "SELECT position, events FROM batches WHERE position BETWEEN ? AND ? AND instr(events, ?) > 0",
        from * POSITIONS_A_MS,
        to * POSITIONS_A_MS,
        taskId,
      );
      for (const row of rows) for (const event of eventsOf(row)) found.add(nameOf(event));
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

/** Spans of time behind instants in which word of them has come in, if any has; those that meet are one. */
function spans(instants: readonly number[]): [number, number][] {
  const joined: [number, number][] = [];
  for (const at of instants.toSorted((one, other) => one - other)) {
    const [from, to] = [at - CLOCK_SKEW_MS, at + FEED_DOUBT_MS];
    const last = joined.at(-1);
    if (last !== undefined && last[1] >= from) last[1] = to;
    else joined.push([from, to]);
  }
  return joined;
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
