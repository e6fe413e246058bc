import { isSelective, segmentTest } from "../domain/feed-segment.ts";
import {
  instantAt,
  passes,
  POSITIONS_A_MS,
  type FeedEvent,
  type FeedFilter,
  type PlacedEvent,
} from "../domain/feed.ts";
import {
  FEED_BYTES_MAX,
  FEED_DOUBT_MS,
  FEED_FULL_TRIES_MAX,
  FEED_MAINTENANCE_PAUSE_MS,
  FEED_PRUNE_INTERVAL_MS,
  FEED_PRUNED_ROWS_MAX,
  FEED_RETENTION_MS,
  FEED_ROW_CHARACTERS_MAX,
  FEED_SCAN_CHARACTERS_MAX,
} from "../domain/limits.ts";
import type { FeedPage } from "./port.ts";
import { Segments, type StoredBatch } from "./segments.ts";

/** By how much the clocks of two objects may differ. */
const CLOCK_SKEW_MS = 60_000;
/** The position of the last event that was dropped. */
const PRUNED = "pruned";
const END = Number.MAX_SAFE_INTEGER;

interface BatchRow extends Record<string, SqlStorageValue> {
  position: number;
  events: string;
}

/** The maximum size of the storage, and the number of rows that one run may delete. */
export interface FeedBounds {
  readonly bytesMax: number;
  readonly prunedRowsMax: number;
}

/** A part of the feed that a reader has passed, and the events in it that the reader must check. */
interface Part {
  readonly events: readonly PlacedEvent[];
  /** The position of the last event of the part. */
  readonly end: number;
  /** How much was read, in characters or bytes. */
  readonly size: number;
}

/**
 * The feed in its object's SQLite: what comes in together is one row, keyed by the position of its first
 * event; the others follow by one each. Rows are what is paid for, and not how much they hold.
 */
export class Batches {
  readonly #storage: DurableObjectStorage;
  readonly #bounds: FeedBounds;
  readonly #segments: Segments;
  #last: number | undefined;
  #hasTables = false;

  constructor(
    storage: DurableObjectStorage,
    bounds: FeedBounds = { bytesMax: FEED_BYTES_MAX, prunedRowsMax: FEED_PRUNED_ROWS_MAX },
  ) {
    this.#storage = storage;
    this.#bounds = bounds;
    this.#segments = new Segments(storage.sql);
  }

  /** The position of the last event, 0 for none. */
  last(): number {
    return (this.#last ??= Math.max(this.#lastWritten(), this.#droppedTo()));
  }

  /** Appends events. If space is short, the oldest events are dropped first. */
  append(events: readonly FeedEvent[], now: number): void {
    const rows: BatchRow[] = [];
    let position = Math.max(this.last() + 1, now * POSITIONS_A_MS);
    for (const chunk of chunks(events)) {
      rows.push({ position, events: `[${chunk.join(",")}]` });
      position += chunk.length;
    }
    if (this.#isSpaceShort()) this.#truncate();
    this.#insert(rows);
    this.#last = position - 1;
    const characters = rows.reduce((sum, row) => sum + row.events.length, 0);
    this.#segments.added(events.length, characters);
  }

  /**
   * Deletes old events and extends the index, a bounded amount of each. Returns when to call it next, in
   * milliseconds since 1970, or null if the feed is empty.
   */
  maintain(now: number): number | null {
    if (!this.#makesTables()) return null;
    const isPruned = this.#prune(now);
    const isIndexed = !this.#segments.extend((position) => this.#batches(position + 1, END));
    if (!isPruned || !isIndexed) return now + FEED_MAINTENANCE_PAUSE_MS;
    const oldest = this.#oldest();
    if (oldest === null) return null;
    return instantAt(oldest) + FEED_RETENTION_MS + FEED_PRUNE_INTERVAL_MS + 1;
  }

  page(filter: FeedFilter, after: number, limit: number): FeedPage {
    const droppedTo = this.#droppedTo();
    const events: PlacedEvent[] = [];
    let next = after;
    let size = 0;
    for (const part of this.#parts(filter, after)) {
      if (size > FEED_SCAN_CHARACTERS_MAX) return { events, next, more: true, droppedTo };
      size += part.size;
      for (const event of part.events) {
        if (events.length === limit) return { events, next, more: true, droppedTo };
        next = event.position;
        if (passes(filter, event)) events.push(event);
      }
      next = part.end;
    }
    return { events, next, more: false, droppedTo };
  }

  /**
   * Those of a task's events that the feed has already. It looks around the times when they happened and
   * at what came in lately, and reads no more of that than what names the task.
   */
  known(events: readonly FeedEvent[], now: number): Set<string> {
    const found = new Set<string>();
    const taskId = events[0]?.taskId;
    if (taskId === undefined || !this.#exists("batches")) return found;
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

  #insert(rows: readonly BatchRow[]): void {
    for (let tries = 1; ; tries += 1) {
      try {
        this.#storage.transactionSync(() => {
          this.#makeTables();
          for (const { position, events } of rows) {
            const sql = "INSERT INTO batches (position, events) VALUES (?, ?)";
            this.#storage.sql.exec(sql, position, events);
          }
        });
        this.#hasTables = true;
        return;
      } catch (error) {
        const mayRepeat = isStorageFull(error) && tries < FEED_FULL_TRIES_MAX;
        if (!mayRepeat || !this.#truncate()) throw error;
      }
    }
  }

  /** Returns true if nothing more is due. */
  #prune(now: number): boolean {
    const keptFrom = (now - FEED_RETENTION_MS) * POSITIONS_A_MS;
    const dueBefore = keptFrom - FEED_PRUNE_INTERVAL_MS * POSITIONS_A_MS;
    if ((this.#oldest() ?? END) < dueBefore) this.#drop(keptFrom);
    else if (this.#isSpaceShort()) this.#truncate();
    const oldest = this.#oldest();
    return oldest === null || (oldest >= dueBefore && !this.#isSpaceShort());
  }

  #isSpaceShort(): boolean {
    return this.#storage.sql.databaseSize > this.#bounds.bytesMax;
  }

  /** Drops the oldest events early. Returns whether there were any. */
  #truncate(): boolean {
    const droppedTo = this.#drop(END);
    if (droppedTo === null) return false;
    console.warn({
      event: "feed.truncated",
      before: new Date(instantAt(droppedTo)).toISOString(),
      databaseBytes: this.#storage.sql.databaseSize,
    });
    return true;
  }

  /** Drops the oldest rows before a position, at most as many as one run may delete; null if there are none. */
  #drop(before: number): number | null {
    if (!this.#exists("batches")) return null;
    const { sql, kv } = this.#storage;
    const rows = sql.exec<{ position: number | null }>(
      "SELECT max(position) AS position FROM (SELECT position FROM batches WHERE position < ? ORDER BY position LIMIT ?)",
      before,
      this.#bounds.prunedRowsMax,
    );
    const { position } = rows.one();
    if (position === null) return null;
    const [batch] = [...this.#batches(position, position)];
    const droppedTo = batch?.last ?? position;
    this.#storage.transactionSync(() => {
      sql.exec("DELETE FROM batches WHERE position <= ?", position);
      // Create nothing here: full storage has no room for a table.
      if (this.#exists("segments")) this.#segments.dropTo(droppedTo);
      kv.put(PRUNED, droppedTo);
    });
    return droppedTo;
  }

  #droppedTo(): number {
    return this.#storage.kv.get<number>(PRUNED) ?? 0;
  }

  /** The feed after a position, without the events of segments in which none passes the filter. */
  *#parts(filter: FeedFilter, after: number): Generator<Part> {
    if (!this.#exists("batches")) return;
    let from = this.#rowAt(after);
    if (isSelective(filter) && this.#exists("segments")) {
      const mayPass = segmentTest(filter);
      for (const { last, keys } of this.#segments.behind(after)) {
        if (mayPass(keys)) yield* this.#partsOf(from, last, after);
        else yield { events: [], end: last, size: keys.byteLength };
        from = last + 1;
      }
    }
    yield* this.#partsOf(from, END, after);
  }

  *#partsOf(from: number, to: number, after: number): Generator<Part> {
    for (const { first, last, characters, events } of this.#batches(from, to)) {
      const placed = events.map((event, index) => ({ ...event, position: first + index }));
      const behind = placed.filter(({ position }) => position > after);
      if (behind.length > 0) yield { events: behind, end: last, size: characters };
    }
  }

  *#batches(from: number, to: number): Generator<StoredBatch & { readonly first: number }> {
    const rows = this.#storage.sql.exec<BatchRow>(
      "SELECT position, events FROM batches WHERE position >= ? AND position <= ? ORDER BY position",
      from,
      to,
    );
    for (const row of rows) {
      const events = eventsOf(row);
      const first = row.position;
      yield { first, last: first + events.length - 1, characters: row.events.length, events };
    }
  }

  /** The first position of the row that may contain a position. */
  #rowAt(position: number): number {
    const rows = this.#storage.sql.exec<{ position: number | null }>(
      "SELECT max(position) AS position FROM batches WHERE position <= ?",
      position,
    );
    return rows.one().position ?? 0;
  }

  #oldest(): number | null {
    const rows = this.#storage.sql.exec<{ position: number | null }>(
      "SELECT min(position) AS position FROM batches",
    );
    return rows.one().position;
  }

  #lastWritten(): number {
    if (!this.#exists("batches")) return 0;
    const position = this.#rowAt(END);
    const [batch] = [...this.#batches(position, position)];
    return batch?.last ?? 0;
  }

  #makeTables(): void {
    if (this.#hasTables) return;
    this.#storage.sql.exec(
      "CREATE TABLE IF NOT EXISTS batches (position INTEGER PRIMARY KEY, events TEXT NOT NULL)",
    );
    this.#segments.makeTable();
  }

  /** Whether there is a feed. Adds the index table to a feed from an earlier release. */
  #makesTables(): boolean {
    if (!this.#exists("batches")) return false;
    this.#makeTables();
    this.#hasTables = true;
    return true;
  }

  #exists(table: "batches" | "segments"): boolean {
    if (this.#hasTables) return true;
    const tables = this.#storage.sql.exec(
      "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?",
      table,
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

function isStorageFull(error: unknown): boolean {
  return error instanceof Error && /SQLITE_FULL|database or disk is full/.test(error.message);
}
