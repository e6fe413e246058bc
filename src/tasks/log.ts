import type { NewEvent, TaskEvent } from "../domain/events.ts";
import { EVENTS_PAGE_CHARACTERS_MAX } from "../domain/limits.ts";

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

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** Whether this object ever held a task; reading an object that did not writes nothing. */
  exists(): boolean {
    const tables = this.#sql.exec(
      "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'events'",
    );
    return tables.next().done !== true;
  }

  makeTable(): void {
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

  /** Appends events behind `lastSeq`; to be called inside the transaction that sets the wake-up. */
  append(
    events: readonly NewEvent[],
    { lastSeq, at, told }: { lastSeq: number; at: number; told: number },
  ): TaskEvent[] {
    if (!this.#tells()) this.#sql.exec("ALTER TABLE events ADD COLUMN told INTEGER");
    return events.map((event, index) => {
      const placed: TaskEvent = { ...event, seq: lastSeq + index + 1, at };
      this.#sql.exec(
        "INSERT INTO events (seq, at, type, data, told) VALUES (?, ?, ?, ?, ?)",
        placed.seq,
        at,
        placed.type,
        JSON.stringify(placed.data),
        told,
      );
      return placed;
    });
  }

  /** Events with a `seq` above `after`, oldest first, one at a time: a whole log may not fit in memory. */
  *read(after = 0, upTo = Number.MAX_SAFE_INTEGER): Generator<TaskEvent> {
    const rows = this.#sql.exec<EventRow>(
      "SELECT seq, at, type, data FROM events WHERE seq > ? AND seq <= ? ORDER BY seq",
      after,
      upTo,
    );
    for (const row of rows) yield eventOf(row);
  }

  /** At most `limit` such events, and no more than an answer can carry, but at least one. */
  page(after: number, limit: number): TaskEvent[] {
    const events: TaskEvent[] = [];
    let characters = 0;
    for (const event of this.read(after)) {
      characters += JSON.stringify(event.data).length;
      if (events.length > 0 && characters > EVENTS_PAGE_CHARACTERS_MAX) break;
      if (events.push(event) === limit) break;
    }
    return events;
  }

  /** Logs from before there was a feed have no column for it. */
  #tells(): boolean {
    this.#hasTold ||=
      this.#sql.exec("SELECT 1 FROM pragma_table_info('events') WHERE name = 'told'").next()
        .done !== true;
    return this.#hasTold;
  }
}

/** Only `append` writes this table, so a row holds an event of one of the known types. */
function eventOf({ seq, at, type, data }: EventRow): TaskEvent {
  return { seq, at, type, data: JSON.parse(data) } as TaskEvent;
}
