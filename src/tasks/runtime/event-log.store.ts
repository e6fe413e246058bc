import { concatBytes } from "../../kernel/bytes.ts";
import { EVENTS_PAGE_CHARACTERS_MAX } from "../limits.ts";
import type { TaskEvent } from "../model/events.ts";
import type { StoredEvent } from "../model/fold.ts";
import type { Deliverable, Task } from "../model/task.ts";
import { CallRecords } from "./call-records.store.ts";
import type { SideValues } from "../model/side-values.ts";

interface EventRow extends Record<string, SqlStorageValue> {
  seq: number;
  at: number;
  type: string;
  data: string;
  request: string | null;
  assigned: string | null;
}

/**
 * An event and the id of the request that caused it; null if no request did, or if an earlier release wrote the event.
 */
export interface LoggedEvent {
  readonly event: TaskEvent;
  readonly requestId: string | null;
}

interface SizedEvent extends StoredEvent, LoggedEvent {
  readonly characters: number;
}

/** Columns that may be missing in logs written by earlier releases. */
const LATER_COLUMNS = {
  told: "INTEGER",
  held: "BLOB",
  request: "TEXT",
  assigned: "TEXT",
  calls: "TEXT",
} as const;
type LaterColumn = keyof typeof LATER_COLUMNS;

const ENCODER = new TextEncoder();

/**
 * The task's log in its object's SQLite database. The first event creates the table. Because each row is billed, a row
 * also stores `told` (the feed cursor), `held` (the step's small files, concatenated), `request` (the id of the request
 * that caused the event), `assigned` (the data of an `assigned` event that directly precedes this event in the same
 * commit) and `calls` (the records of the tool calls that the event charges).
 */
export class EventLog {
  readonly calls: CallRecords;
  readonly #sql: SqlStorage;
  #columns: ReadonlySet<string> | undefined;
  #summary = new LogSummary();

  constructor({ sql, kv }: Pick<DurableObjectStorage, "sql" | "kv">) {
    this.calls = new CallRecords(sql, kv);
    this.#sql = sql;
  }

  createTable(): void {
    this.calls.clear();
    this.#summary = new LogSummary();
    this.#columns = new Set(Object.keys(LATER_COLUMNS));
    this.#sql.exec(
      "CREATE TABLE events (seq INTEGER PRIMARY KEY, at INTEGER NOT NULL, type TEXT NOT NULL, data TEXT NOT NULL, told INTEGER, held BLOB, request TEXT, assigned TEXT, calls TEXT)",
    );
  }

  /** The size of the object's database, which is mostly the log. Reads no rows. */
  bytes(): number {
    return this.#sql.databaseSize;
  }

  /** The feed cursor as of the last event; 0 in logs written by releases without a feed. */
  feedCursor(): number {
    const told = this.#readLast("told");
    return typeof told === "number" ? told : 0;
  }

  /**
   * The id of the request that caused the last event; null if no request did, or if an earlier release wrote the event.
   */
  lastRequestId(): string | null {
    const request = this.#readLast("request");
    return typeof request === "string" ? request : null;
  }

  /** Records that the feed has all events up to `seq`, which must be the last one. */
  saveFeedCursor(seq: number): void {
    this.#addColumn("told");
    this.#sql.exec("UPDATE events SET told = ? WHERE seq = ?", seq, seq);
  }

  /** Appends events and stores the files with the last one. Call this in the transaction that sets the alarm. */
  append(
    events: readonly TaskEvent[],
    feedCursor: number,
    files: readonly Uint8Array[],
    requestId: string | null,
  ): void {
    for (const column of ["told", "held", "request", "assigned", "calls"] as const) {
      this.#addColumn(column);
    }
    const bytes = files.length === 0 ? null : concatBytes(files).buffer;
    let assigned: string | null = null;
    for (const event of events) {
      const isLast = event === events.at(-1);
      const data = JSON.stringify(event.data);
      if (event.type === "assigned" && !isLast) {
        assigned = data;
        continue;
      }
      const calls = "calls" in event.data ? this.calls.takeForEvent(event.data.calls) : null;
      this.#sql.exec(
        "INSERT INTO events (seq, at, type, data, told, held, request, assigned, calls) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        event.seq,
        event.at,
        event.type,
        data,
        feedCursor,
        isLast ? bytes : null,
        requestId,
        assigned,
        calls,
      );
      assigned = null;
      if (calls !== null) this.calls.dropOldest(event.seq);
    }
  }

  /**
   * The bytes of a file in the log; null if the file is not there. Only the last row with files is read, because one
   * step creates all files of a round and a task shows only the files of its last round.
   */
  readFile({ heldAt, size }: Deliverable): Uint8Array | null {
    if (heldAt === undefined) return null;
    const last = this.#sql.exec<{ bytes: ArrayBuffer }>(
      `SELECT substr(held, ?, ?) AS bytes FROM events
       WHERE held IS NOT NULL ORDER BY seq DESC LIMIT 1`,
      heldAt + 1,
      size,
    );
    const { value } = last.next();
    return value?.bytes.byteLength === size ? new Uint8Array(value.bytes) : null;
  }

  /**
   * Returns the events up to a `seq`, oldest first and one at a time, because a log may not fit in memory. If the
   * object has no task, returns no events, without an extra query or write.
   */
  *read(upTo = Number.MAX_SAFE_INTEGER): Generator<StoredEvent> {
    try {
      yield* this.#readEvents(0, upTo);
    } catch (error) {
      if (!isSqlError(error, "no such table: events")) throw error;
    }
  }

  /**
   * Returns up to `limit` events after a `seq`, but no more than fit in a response (at least one). With `summaryUpTo`,
   * returns the summary of the log up to that `seq`.
   */
  page(after: number, limit: number, summaryUpTo?: number): TaskEvent[] {
    const chosen =
      summaryUpTo === undefined
        ? this.#readEvents(after)
        : this.#readSummary(after, summaryUpTo, limit);
    return takePage(chosen, limit).map(({ event }) => event);
  }

  /** A page of events with the ids of the requests that caused them. */
  pageWithCauses(after: number, limit: number): LoggedEvent[] {
    return takePage(this.#readEvents(after), limit);
  }

  *#readEvents(after: number, upTo = Number.MAX_SAFE_INTEGER): Generator<SizedEvent> {
    // The row after `upTo` may contain the event numbered `upTo`.
    for (const row of this.#selectRows("seq > ? AND seq <= ?", after, upTo + 1)) {
      for (const stored of toEvents(row)) {
        const { seq } = stored.event;
        if (seq > after && seq <= upTo) yield stored;
      }
    }
  }

  *#readSummary(after: number, upTo: number, limit: number): Generator<SizedEvent> {
    const assigned = this.#hasColumn("assigned") ? "assigned" : "NULL AS assigned";
    const unclassified = this.#sql.exec<{
      seq: number;
      class: EventClass;
      assigned: string | null;
    }>(
      `SELECT seq, CASE WHEN type <> 'progressed' THEN 'change'
         WHEN data ->> '$.outside' IS NULL THEN 'progress' ELSE 'usage' END AS class, ${assigned}
       FROM events WHERE seq > ? ORDER BY seq`,
      this.#summary.lastSeq,
    );
    for (const row of unclassified) {
      if (row.assigned !== null) this.#summary.add(row.seq - 1, "change");
      this.#summary.add(row.seq, row.class);
    }
    const selected = new Set(this.#summary.select(after, upTo, limit));
    const seqs = JSON.stringify([...selected].flatMap((seq) => [seq, seq + 1]));
    for (const row of this.#selectRows("seq IN (SELECT value FROM json_each(?))", seqs)) {
      for (const stored of toEvents(row)) if (selected.has(stored.event.seq)) yield stored;
    }
  }

  #readLast(column: LaterColumn): SqlStorageValue {
    if (!this.#hasColumn(column)) return null;
    const rows = this.#sql.exec(`SELECT ${column} FROM events ORDER BY seq DESC LIMIT 1`);
    return rows.next().value?.[column] ?? null;
  }

  /** Runs the query without first checking whether the table and its later columns exist. */
  #selectRows(condition: string, ...parameters: SqlStorageValue[]): Iterable<EventRow> {
    const select = (columns: string): Iterable<EventRow> =>
      this.#sql.exec<EventRow>(
        `SELECT seq, at, type, data, ${columns} FROM events WHERE ${condition} ORDER BY seq`,
        ...parameters,
      );
    try {
      return select("request, assigned");
    } catch (error) {
      if (!isSqlError(error, "no such column: ")) throw error;
      return select("NULL AS request, NULL AS assigned");
    }
  }

  #addColumn(column: LaterColumn): void {
    if (this.#hasColumn(column)) return;
    this.#columns = undefined;
    this.#sql.exec(`ALTER TABLE events ADD COLUMN ${column} ${LATER_COLUMNS[column]}`);
  }

  #hasColumn(column: LaterColumn): boolean {
    this.#columns ??= new Set(
      this.#sql
        .exec<{ name: string }>("SELECT name FROM pragma_table_info('events')")
        .toArray()
        .map(({ name }) => name),
    );
    return this.#columns.has(column);
  }
}

function isSqlError(error: unknown, message: string): boolean {
  return error instanceof Error && error.message.startsWith(message);
}

/** Takes up to `limit` events, but no more than fit in a response (at least one). */
function takePage(chosen: Iterable<SizedEvent>, limit: number): SizedEvent[] {
  const events: SizedEvent[] = [];
  let pageCharacters = 0;
  for (const one of chosen) {
    pageCharacters += one.characters;
    if (events.length > 0 && pageCharacters > EVENTS_PAGE_CHARACTERS_MAX) break;
    if (events.push(one) === limit) break;
  }
  return events;
}

/** The events that a row contains: its own event, preceded by an `assigned` event if there is one. */
function toEvents(row: EventRow): SizedEvent[] {
  const event = toSizedEvent(row);
  const { seq, assigned } = row;
  if (assigned === null) return [event];
  return [toSizedEvent({ ...row, seq: seq - 1, type: "assigned", data: assigned }), event];
}

/** Only `append` adds rows, so each row contains an event of a known type. */
function toSizedEvent({ seq, at, type, data, request: requestId }: EventRow): SizedEvent {
  const event = { seq, at, type, data: JSON.parse(data) } as TaskEvent;
  return {
    event,
    requestId,
    characters: data.length,
    get bytes() {
      return ENCODER.encode(data).byteLength;
    },
  };
}

/** The class of an event: progress made by the agent, usage without progress, or any other change. */
export type EventClass = "change" | "progress" | "usage";

/**
 * Selects the summary of a log: all events except usage and superseded progress. These two make up most of a long log.
 * Events never change, so each is classified once.
 */
export class LogSummary {
  readonly #changes: number[] = [];
  readonly #progress: number[] = [];
  #lastSeq = 0;

  /** The `seq` of the last classified event; 0 if there is none. */
  get lastSeq(): number {
    return this.#lastSeq;
  }

  add(seq: number, eventClass: EventClass): void {
    this.#lastSeq = seq;
    if (eventClass === "change") this.#changes.push(seq);
    if (eventClass === "progress") this.#progress.push(seq);
  }

  /**
   * The first `limit` events of the summary after `after` and up to `upTo`. A summary ends with the event `upTo` or, if
   * the log is shorter, with its last event, regardless of that event's class.
   */
  select(after: number, upTo: number, limit: number): number[] {
    const end = Math.min(upTo, this.#lastSeq);
    const changes = this.#changes.filter((seq) => seq < end);
    const kept: number[] = [];
    let position = 0;
    for (const change of [...changes, end]) {
      let progress = 0;
      for (let next = this.#progress[position]; next !== undefined && next <= change;) {
        progress = next;
        position += 1;
        next = this.#progress[position];
      }
      if (progress > after && progress !== change) kept.push(progress);
      if (change > after) kept.push(change);
      if (kept.length >= limit) break;
    }
    return kept.slice(0, limit);
  }
}

/** Task state that is not in the log because no reader of the log needs it. Each value is one row. */
export class SideState {
  readonly #kv: SyncKvStorage;
  /** Values that have already been read or written. Cleared when a transaction is rolled back. */
  #cache: { [Name in keyof SideValues]?: SideValues[Name] | null } = {};

  constructor(kv: SyncKvStorage) {
    this.#kv = kv;
  }

  /** The task with its lease as last renewed by a heartbeat. */
  withStoredLease(task: Task): Task {
    const { lease } = task;
    const renewed = lease === null ? null : this.get("lease");
    if (lease === null || renewed === null || renewed.seq !== lease.seq) return task;
    const expiresAt = Math.max(lease.expiresAt, renewed.expiresAt);
    return { ...task, lease: { ...lease, expiresAt } };
  }

  get<Name extends keyof SideValues>(name: Name): SideValues[Name] | null {
    const cached = this.#cache[name];
    if (cached !== undefined) return cached;
    const stored = this.#kv.get<SideValues[Name]>(name) ?? null;
    this.#cache[name] = stored;
    return stored;
  }

  put<Name extends keyof SideValues>(name: Name, value: SideValues[Name]): void {
    this.#kv.put(name, value);
    this.#cache[name] = value;
  }

  delete(name: keyof SideValues): void {
    if (this.get(name) === null) return;
    this.#kv.delete(name);
    this.#cache[name] = null;
  }

  clearCache(): void {
    this.#cache = {};
  }

  /** Records a platform failure at `now` and returns how long the outage has lasted, in milliseconds. */
  recordOutage(now: number): number {
    const since = this.get("faultSince");
    if (since === null) this.put("faultSince", now);
    return now - (since ?? now);
  }

  endOutage(): void {
    this.delete("faultSince");
  }
}
