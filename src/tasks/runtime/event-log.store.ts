import { concatBytes } from "../../kernel/bytes.ts";
import type { TaskEvent } from "../model/events.ts";
import type { StoredEvent } from "../model/fold.ts";
import { EVENTS_PAGE_CHARACTERS_MAX } from "../limits.ts";
import type { Deliverable } from "../model/task.ts";
import { LogSummary, type EventClass } from "./log-summary.ts";

interface EventRow extends Record<string, SqlStorageValue> {
  seq: number;
  at: number;
  type: string;
  data: string;
}

interface SizedRow extends EventRow {
  /** The size of `data` in UTF-8 bytes. */
  bytes: number;
}

/** Columns that logs of earlier releases lack. */
const LATER_COLUMNS = { told: "INTEGER", held: "BLOB", request: "TEXT" } as const;
type LaterColumn = keyof typeof LATER_COLUMNS;

/**
 * A task's log in its object's SQLite. The table is made with the first event and never before. With
 * each event lies how far the feed of all tasks was known to have got, and with the event of a step the
 * small files that it made, one behind the other: rows of their own would cost.
 */
export class EventLog {
  readonly #sql: SqlStorage;
  #columns: ReadonlySet<string> | undefined;
  #outline = new LogSummary();

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  createTable(): void {
    this.#outline = new LogSummary();
    this.#columns = new Set(Object.keys(LATER_COLUMNS));
    this.#sql.exec(
      "CREATE TABLE events (seq INTEGER PRIMARY KEY, at INTEGER NOT NULL, type TEXT NOT NULL, data TEXT NOT NULL, told INTEGER, held BLOB, request TEXT)",
    );
  }

  /** The size of the object's storage, which is mostly the log. Reads no row. */
  bytes(): number {
    return this.#sql.databaseSize;
  }

  /** What the feed was known to have when the last event was written; 0 in logs from before there was a feed. */
  feedCursor(): number {
    if (!this.#has("told")) return 0;
    const last = this.#sql.exec<{ told: number | null }>(
      "SELECT told FROM events ORDER BY seq DESC LIMIT 1",
    );
    return last.next().value?.told ?? 0;
  }

  /** The id of the request that caused the last event; null if none did, or an earlier release wrote it. */
  lastRequestId(): string | null {
    if (!this.#has("request")) return null;
    const last = this.#sql.exec<{ request: string | null }>(
      "SELECT request FROM events ORDER BY seq DESC LIMIT 1",
    );
    return last.next().value?.request ?? null;
  }

  /** Writes down that the feed has everything up to the last event. */
  saveFeedCursor(seq: number): void {
    this.#make("told");
    this.#sql.exec("UPDATE events SET told = ? WHERE seq = ?", seq, seq);
  }

  /**
   * Appends events, the last of them with the files that it holds; to be called inside the transaction that
   * sets the wake-up. `told`: what the feed is known to have.
   */
  append(
    events: readonly TaskEvent[],
    told: number,
    held: readonly Uint8Array[],
    requestId: string | null,
  ): void {
    for (const column of ["told", "held", "request"] as const) this.#make(column);
    const bytes = held.length === 0 ? null : concatBytes(held).buffer;
    for (const event of events) {
      this.#sql.exec(
        "INSERT INTO events (seq, at, type, data, told, held, request) VALUES (?, ?, ?, ?, ?, ?, ?)",
        event.seq,
        event.at,
        event.type,
        JSON.stringify(event.data),
        told,
        event === events.at(-1) ? bytes : null,
        requestId,
      );
    }
  }

  /**
   * The bytes of a file that lies here, null for one that does not. They are in the last row that holds any:
   * a step makes all files of its round, and what a task shows is from its last round.
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
   * Events up to a `seq`, oldest first, one at a time: a whole log may not fit in memory. None in an object
   * that never held a task, which is found out without a query of its own, and writes nothing.
   */
  *read(upTo = Number.MAX_SAFE_INTEGER): Generator<StoredEvent> {
    try {
      for (const row of this.#rows(0, upTo)) yield { event: eventOf(row), bytes: row.bytes };
    } catch (fault) {
      if (!isForLackOfTable(fault)) throw fault;
    }
  }

  /**
   * At most `limit` such events, and no more than an answer can carry, but at least one; with
   * `outlineUpTo` only those that tell the log's course up to there.
   */
  page(after: number, limit: number, outlineUpTo?: number): TaskEvent[] {
    const events: TaskEvent[] = [];
    let characters = 0;
    const chosen =
      outlineUpTo === undefined ? this.#rows(after) : this.#outlined(after, outlineUpTo, limit);
    for (const row of chosen) {
      characters += row.data.length;
      if (events.length > 0 && characters > EVENTS_PAGE_CHARACTERS_MAX) break;
      if (events.push(eventOf(row)) === limit) break;
    }
    return events;
  }

  #rows(after: number, upTo = Number.MAX_SAFE_INTEGER): Iterable<SizedRow> {
    return this.#sql.exec<SizedRow>(
      `SELECT seq, at, type, data, length(CAST(data AS BLOB)) AS bytes FROM events
       WHERE seq > ? AND seq <= ? ORDER BY seq`,
      after,
      upTo,
    );
  }

  #outlined(after: number, upTo: number, limit: number): Iterable<EventRow> {
    const unmarked = this.#sql.exec<{ seq: number; mark: string }>(
      `SELECT seq, CASE WHEN type <> 'progressed' THEN 'turn'
         WHEN data ->> '$.outside' IS NULL THEN 'step' ELSE 'aside' END AS mark
       FROM events WHERE seq > ? ORDER BY seq`,
      this.#outline.lastSeq,
    );
    for (const { seq, mark } of unmarked) this.#outline.add(seq, markOf(mark));
    return this.#sql.exec<EventRow>(
      `SELECT seq, at, type, data FROM events
       WHERE seq IN (SELECT value FROM json_each(?)) ORDER BY seq`,
      JSON.stringify(this.#outline.select(after, upTo, limit)),
    );
  }

  #make(column: LaterColumn): void {
    if (this.#has(column)) return;
    this.#columns = undefined;
    this.#sql.exec(`ALTER TABLE events ADD COLUMN ${column} ${LATER_COLUMNS[column]}`);
  }

  #has(column: LaterColumn): boolean {
    this.#columns ??= new Set(
      this.#sql
        .exec<{ name: string }>("SELECT name FROM pragma_table_info('events')")
        .toArray()
        .map(({ name }) => name),
    );
    return this.#columns.has(column);
  }
}

function isForLackOfTable(fault: unknown): boolean {
  return fault instanceof Error && fault.message.startsWith("no such table: events");
}

/** Only `append` writes this table, so a row holds an event of one of the known types. */
function eventOf({ seq, at, type, data }: EventRow): TaskEvent {
  return { seq, at, type, data: JSON.parse(data) } as TaskEvent;
}

/** The query above makes nothing else. */
function markOf(mark: string): EventClass {
  return mark as EventClass;
}
