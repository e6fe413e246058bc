import { isSelectiveFilter, createSegmentTest } from "./model/feed-segment.ts";
import {
  feedSourceOf,
  feedSourceText,
  instantOfPosition,
  matchesFilter,
  POSITIONS_PER_MS,
  type FeedEvent,
  type FeedFilter,
  type PositionedEvent,
} from "./model/feed.ts";
import {
  FEED_BYTES_MAX,
  FEED_DUPLICATE_SEARCH_MS,
  FEED_FULL_TRIES_MAX,
  FEED_MAINTENANCE_PAUSE_MS,
  FEED_PRUNE_INTERVAL_MS,
  FEED_PRUNED_ROWS_MAX,
  FEED_RETENTION_MS,
  FEED_ROW_CHARACTERS_MAX,
  FEED_SCAN_CHARACTERS_MAX,
} from "./limits.ts";
import type { FeedPage } from "./feed.rpc.ts";
import { FeedIndex, type StoredBatch } from "./feed-index.store.ts";
import { toIsoTime } from "../kernel/text.ts";
import { log } from "../platform/log.ts";
import { joinRequestIds } from "../platform/request-id.ts";

/** The maximum clock skew to tolerate between two objects. */
const CLOCK_SKEW_MS = 60_000;
/** The storage key for the position of the last dropped event. */
const PRUNED_POSITION_KEY = "pruned";
const POSITION_MAX = Number.MAX_SAFE_INTEGER;

interface BatchRow extends Record<string, SqlStorageValue> {
  position: number;
  events: string;
}

/** The maximum storage size, and the maximum number of rows that one run deletes. */
export interface FeedStoreLimits {
  readonly bytesMax: number;
  readonly prunedRowsMax: number;
}

/** A part of the feed that a reader has scanned, with the events that the reader must check. */
interface FeedPart {
  readonly events: readonly PositionedEvent[];
  /** The position of the last event in this part. */
  readonly end: number;
  /** How much was read, in characters or bytes. */
  readonly size: number;
}

/**
 * The feed in its object's SQLite database. Events that are stored together share a row, whose key is the first event's
 * position; the other events have the positions that follow. Cloudflare bills writes by row, not by size.
 */
export class FeedStore {
  readonly #storage: DurableObjectStorage;
  readonly #limits: FeedStoreLimits;
  readonly #segments: FeedIndex;
  #last: number | undefined;
  #hasTables = false;

  constructor(
    storage: DurableObjectStorage,
    limits: FeedStoreLimits = { bytesMax: FEED_BYTES_MAX, prunedRowsMax: FEED_PRUNED_ROWS_MAX },
  ) {
    this.#storage = storage;
    this.#limits = limits;
    this.#segments = new FeedIndex(storage.sql);
  }

  /** The position of the last event; 0 if there is none. */
  lastPosition(): number {
    return (this.#last ??= Math.max(this.#findLastWritten(), this.#readDroppedTo()));
  }

  /** Appends events. If space is short, drops the oldest events first. */
  append(events: readonly FeedEvent[], now: number): void {
    const rows: BatchRow[] = [];
    let position = Math.max(this.lastPosition() + 1, now * POSITIONS_PER_MS);
    for (const chunk of splitIntoRows(events)) {
      rows.push({ position, events: `[${chunk.join(",")}]` });
      position += chunk.length;
    }
    if (this.#isSpaceShort()) this.#truncate();
    this.#insert(rows);
    this.#last = position - 1;
    const characters = rows.reduce((sum, row) => sum + row.events.length, 0);
    this.#segments.countAppended(events.length, characters);
  }

  /**
   * Deletes old events and extends the index, up to a limit for each. Returns when to call this method next, in
   * milliseconds since 1970, or null if the feed is empty.
   */
  maintain(now: number): number | null {
    if (!this.#hasTable("batches")) return null;
    // Adds the index table to a feed from an earlier release.
    this.#createTables();
    this.#hasTables = true;
    const isPruned = this.#prune(now);
    const isIndexed = !this.#segments.extend((position) =>
      this.#readBatches(position + 1, POSITION_MAX),
    );
    if (!isPruned || !isIndexed) return now + FEED_MAINTENANCE_PAUSE_MS;
    const oldest = this.#findOldest();
    if (oldest === null) return null;
    return instantOfPosition(oldest) + FEED_RETENTION_MS + FEED_PRUNE_INTERVAL_MS + 1;
  }

  /** The requests that caused the oldest (`min`) or newest (`max`) stored events. */
  findRequestId(which: "min" | "max"): string | null {
    const position = this.#hasTable("batches")
      ? this.#findPosition(`SELECT ${which}(position) AS position FROM batches`)
      : null;
    const [batch] = position === null ? [] : this.#readBatches(position, position);
    return joinRequestIds(batch?.events.map(({ requestId }) => requestId) ?? []);
  }

  readPage(filter: FeedFilter, after: number, limit: number): FeedPage {
    const droppedTo = this.#readDroppedTo();
    const events: PositionedEvent[] = [];
    let next = after;
    let size = 0;
    for (const part of this.#readParts(filter, after)) {
      if (size > FEED_SCAN_CHARACTERS_MAX) return { events, next, more: true, droppedTo };
      size += part.size;
      for (const event of part.events) {
        if (events.length === limit) return { events, next, more: true, droppedTo };
        next = event.position;
        if (matchesFilter(filter, event)) events.push(event);
      }
      next = part.end;
    }
    return { events, next, more: false, droppedTo };
  }

  /**
   * Finds which events of one task, approval or limit are already stored, or so old that they may have been stored and dropped. For
   * events that are recent enough, searches the time ranges around them and the recent past, reading only rows that
   * contain its id.
   */
  findKnownIds(events: readonly FeedEvent[], now: number): Set<string> {
    const keptFrom = Math.max(
      now - FEED_RETENTION_MS,
      instantOfPosition(this.#readDroppedTo()) - FEED_DUPLICATE_SEARCH_MS,
    );
    const found = new Set<string>();
    const instants: number[] = [];
    for (const event of events) {
      const at = Date.parse(event.at);
      if (at < keptFrom) found.add(eventIdOf(event));
      else instants.push(at);
    }
    const [first] = events;
    if (first === undefined || !this.#hasTable("batches")) return found;
    for (const [from, to] of mergeTimeRanges([...instants, now - FEED_DUPLICATE_SEARCH_MS])) {
      const rows = this.#storage.sql.exec<BatchRow>(
        "SELECT position, events FROM batches WHERE position BETWEEN ? AND ? AND instr(events, ?) > 0",
        from * POSITIONS_PER_MS,
        to * POSITIONS_PER_MS,
        feedSourceText(first),
      );
      for (const row of rows) for (const event of parseEvents(row)) found.add(eventIdOf(event));
    }
    return found;
  }

  #insert(rows: readonly BatchRow[]): void {
    for (let tries = 1; ; tries += 1) {
      try {
        this.#storage.transactionSync(() => {
          this.#createTables();
          for (const { position, events } of rows) {
            const sql = "INSERT INTO batches (position, events) VALUES (?, ?)";
            this.#storage.sql.exec(sql, position, events);
          }
        });
        this.#hasTables = true;
        return;
      } catch (error) {
        const isStorageFull =
          error instanceof Error && /SQLITE_FULL|database or disk is full/.test(error.message);
        const mayRepeat = isStorageFull && tries < FEED_FULL_TRIES_MAX;
        if (!mayRepeat || !this.#truncate()) throw error;
      }
    }
  }

  /**
   * Drops expired events, or the oldest events if space is short. Returns true if nothing more is due to be dropped.
   */
  #prune(now: number): boolean {
    const keptFrom = (now - FEED_RETENTION_MS) * POSITIONS_PER_MS;
    const dueBefore = keptFrom - FEED_PRUNE_INTERVAL_MS * POSITIONS_PER_MS;
    if ((this.#findOldest() ?? POSITION_MAX) < dueBefore) this.#drop(keptFrom);
    else if (this.#isSpaceShort()) this.#truncate();
    const oldest = this.#findOldest();
    return oldest === null || (oldest >= dueBefore && !this.#isSpaceShort());
  }

  #isSpaceShort(): boolean {
    return this.#storage.sql.databaseSize > this.#limits.bytesMax;
  }

  /** Drops the oldest events before they expire. Returns whether there were any. */
  #truncate(): boolean {
    const droppedTo = this.#drop(POSITION_MAX);
    if (droppedTo === null) return false;
    log.warn("feed_truncated", {
      before: toIsoTime(instantOfPosition(droppedTo)),
      databaseBytes: this.#storage.sql.databaseSize,
    });
    return true;
  }

  /**
   * Drops the oldest rows before a position, up to the limit for one run. Returns the position of the last dropped
   * event; null if there are no such rows.
   */
  #drop(before: number): number | null {
    if (!this.#hasTable("batches")) return null;
    const { sql, kv } = this.#storage;
    const position = this.#findPosition(
      "SELECT max(position) AS position FROM (SELECT position FROM batches WHERE position < ? ORDER BY position LIMIT ?)",
      before,
      this.#limits.prunedRowsMax,
    );
    if (position === null) return null;
    const [batch] = [...this.#readBatches(position, position)];
    const droppedTo = batch?.last ?? position;
    this.#storage.transactionSync(() => {
      sql.exec("DELETE FROM batches WHERE position <= ?", position);
      // Do not create the table here, because full storage has no room for it.
      if (this.#hasTable("segments")) this.#segments.deleteUpTo(droppedTo);
      kv.put(PRUNED_POSITION_KEY, droppedTo);
    });
    return droppedTo;
  }

  #readDroppedTo(): number {
    return this.#storage.kv.get<number>(PRUNED_POSITION_KEY) ?? 0;
  }

  /** The feed after a position, without the events of segments that the filter rules out. */
  *#readParts(filter: FeedFilter, after: number): Generator<FeedPart> {
    if (!this.#hasTable("batches")) return;
    let from = this.#findRow(after);
    if (isSelectiveFilter(filter) && this.#hasTable("segments")) {
      const mayPass = createSegmentTest(filter);
      for (const { last, keys } of this.#segments.listAfter(after)) {
        if (mayPass(keys)) yield* this.#readRange(from, last, after);
        else yield { events: [], end: last, size: keys.byteLength };
        from = last + 1;
      }
    }
    yield* this.#readRange(from, POSITION_MAX, after);
  }

  *#readRange(from: number, to: number, after: number): Generator<FeedPart> {
    for (const { first, last, characters, events } of this.#readBatches(from, to)) {
      const all = events.map((event, index) => ({ ...event, position: first + index }));
      const later = all.filter(({ position }) => position > after);
      if (later.length > 0) yield { events: later, end: last, size: characters };
    }
  }

  *#readBatches(from: number, to: number): Generator<StoredBatch & { readonly first: number }> {
    const rows = this.#storage.sql.exec<BatchRow>(
      "SELECT position, events FROM batches WHERE position >= ? AND position <= ? ORDER BY position",
      from,
      to,
    );
    for (const row of rows) {
      const events = parseEvents(row);
      const first = row.position;
      yield { first, last: first + events.length - 1, characters: row.events.length, events };
    }
  }

  /** The first position in the row that may contain this position. */
  #findRow(position: number): number {
    const query = "SELECT max(position) AS position FROM batches WHERE position <= ?";
    return this.#findPosition(query, position) ?? 0;
  }

  #findOldest(): number | null {
    return this.#findPosition("SELECT min(position) AS position FROM batches");
  }

  #findPosition(query: string, ...values: readonly number[]): number | null {
    return this.#storage.sql.exec<{ position: number | null }>(query, ...values).one().position;
  }

  #findLastWritten(): number {
    if (!this.#hasTable("batches")) return 0;
    const position = this.#findRow(POSITION_MAX);
    const [batch] = [...this.#readBatches(position, position)];
    return batch?.last ?? 0;
  }

  #createTables(): void {
    if (this.#hasTables) return;
    this.#storage.sql.exec(
      "CREATE TABLE IF NOT EXISTS batches (position INTEGER PRIMARY KEY, events TEXT NOT NULL)",
    );
    this.#segments.createTable();
  }

  #hasTable(table: "batches" | "segments"): boolean {
    if (this.#hasTables) return true;
    const tables = this.#storage.sql.exec(
      "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?",
      table,
    );
    return tables.next().done !== true;
  }
}

/** The time ranges in which events with these times may have arrived. Overlapping ranges are merged. */
function mergeTimeRanges(instants: readonly number[]): [number, number][] {
  const merged: [number, number][] = [];
  for (const at of instants.toSorted((one, other) => one - other)) {
    const [from, to] = [at - CLOCK_SKEW_MS, at + FEED_DUPLICATE_SEARCH_MS];
    const last = merged.at(-1);
    if (last !== undefined && last[1] >= from) last[1] = to;
    else merged.push([from, to]);
  }
  return merged;
}

export function eventIdOf(event: FeedEvent): string {
  return `${feedSourceOf(event)}.${event.seq}`;
}

/** Events as JSON, grouped into rows. */
function splitIntoRows(events: readonly FeedEvent[]): string[][] {
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

/** The cast is safe because only `append` writes this table. */
function parseEvents({ events }: BatchRow): FeedEvent[] {
  return JSON.parse(events) as FeedEvent[];
}
