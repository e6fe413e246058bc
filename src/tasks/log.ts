import type { NewEvent, TaskEvent } from "../domain/events.ts";
import { EVENTS_PAGE_CHARACTERS_MAX } from "../domain/limits.ts";
import { Outline, type Mark } from "./outline.ts";

interface EventRow extends Record<string, SqlStorageValue> {
  seq: number;
  at: number;
  type: string;
  data: string;
}

/**
 * A task's log in its object's SQLite. The table is made with the first event and never before. With
 * each event lies how far the feed of all tasks was known to have got, as a row of its own would cost.
 */
export class TaskLog {
  readonly #sql: SqlStorage;
  #hasTold = false;
  #outline = new Outline();

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  makeTable(): void {
    this.#outline = new Outline();
    this.#hasTold = true;
    this.#sql.exec(
      "CREATE TABLE events (seq INTEGER PRIMARY KEY, at INTEGER NOT NULL, type TEXT NOT NULL, data TEXT NOT NULL, told INTEGER)",
    );
  }

  /** What the feed was known to have when the last event was written; 0 in logs from before there was a feed. */
  toldSeq(): number {
    if (!this.#tells()) return 0;
    const last = this.#sql.exec<{ told: number | null }>(
      "SELECT told FROM events ORDER BY seq DESC LIMIT 1",
    );
    return last.next().value?.told ?? 0;
  }

  /** Writes down that the feed has everything up to the last event. */
  told(seq: number): void {
    this.#makeTell();
    this.#sql.exec("UPDATE events SET told = ? WHERE seq = ?", seq, seq);
  }

  /** Appends events behind `lastSeq`; to be called inside the transaction that sets the wake-up. */
  append(
    events: readonly NewEvent[],
    { lastSeq, at, told }: { lastSeq: number; at: number; told: number },
  ): void {
    this.#makeTell();
    for (const [index, { type, data }] of events.entries()) {
      this.#sql.exec(
        "INSERT INTO events (seq, at, type, data, told) VALUES (?, ?, ?, ?, ?)",
        lastSeq + index + 1,
        at,
        type,
        JSON.stringify(data),
        told,
      );
    }
  }

  /**
   * Events up to a `seq`, oldest first, one at a time: a whole log may not fit in memory. None in an object
   * that never held a task, which is found out without a query of its own, and writes nothing.
   */
  *read(upTo = Number.MAX_SAFE_INTEGER): Generator<TaskEvent> {
    try {
      for (const row of this.#rows(0, upTo)) yield eventOf(row);
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

  #rows(after: number, upTo = Number.MAX_SAFE_INTEGER): Iterable<EventRow> {
    return this.#sql.exec<EventRow>(
      "SELECT seq, at, type, data FROM events WHERE seq > ? AND seq <= ? ORDER BY seq",
      after,
      upTo,
    );
  }

  #outlined(after: number, upTo: number, limit: number): Iterable<EventRow> {
    const unmarked = this.#sql.exec<{ seq: number; mark: string }>(
      `SELECT seq, CASE WHEN type <> 'progressed' THEN 'turn'
         WHEN data ->> '$.outside' IS NULL THEN 'step' ELSE 'aside' END AS mark
       FROM events WHERE seq > ? ORDER BY seq`,
      this.#outline.markedUpTo,
    );
    for (const { seq, mark } of unmarked) this.#outline.mark(seq, markOf(mark));
    return this.#sql.exec<EventRow>(
      `SELECT seq, at, type, data FROM events
       WHERE seq IN (SELECT value FROM json_each(?)) ORDER BY seq`,
      JSON.stringify(this.#outline.behind(after, upTo, limit)),
    );
  }

  #makeTell(): void {
    if (!this.#tells()) this.#sql.exec("ALTER TABLE events ADD COLUMN told INTEGER");
  }

  /** Logs from before there was a feed have no column for it. */
  #tells(): boolean {
    this.#hasTold ||=
      this.#sql.exec("SELECT 1 FROM pragma_table_info('events') WHERE name = 'told'").next()
        .done !== true;
    return this.#hasTold;
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
function markOf(mark: string): Mark {
  return mark as Mark;
}
