import type { Rng } from "../support/rng.ts";
import type { Sqlite } from "./sqlite.ts";

export type Row = Record<string, SqlStorageValue>;
/** An alarm. Each `setAlarm` call creates a new one, even for the same time. */
export interface Alarm {
  readonly at: number;
}

/**
 * The durable state of one object. A crash keeps the earliest uncommitted writes (any number of
 * them) and undoes the others, latest first. A transaction counts as one write.
 */
export class Disk {
  readonly tables = new Map<string, Map<SqlStorageValue, Row>>();
  readonly kv = new Map<string, unknown>();
  /** Replaces `tables` for objects that run their SQL in SQLite. */
  readonly sqlite: Sqlite | null;
  alarm: Alarm | null = null;
  #undo: (() => void)[] = [];
  #begunAt: number | null = null;

  constructor(sqlite: Sqlite | null = null) {
    this.sqlite = sqlite;
  }

  get isSafe(): boolean {
    return this.#undo.length === 0;
  }

  /** Records how to undo the latest write. */
  wrote(undo: () => void): void {
    this.#undo.push(undo);
  }

  /** Commits all writes so far. */
  makeSafe(): void {
    this.#undo = [];
    this.sqlite?.commit();
  }

  transaction<Value>(run: () => Value): Value {
    if (this.#begunAt !== null) return run();
    const begunAt = this.#undo.length;
    this.#begunAt = begunAt;
    try {
      const value = run();
      const writes = this.#undo.splice(begunAt);
      if (writes.length > 0) this.#undo.push(() => undoTo(writes, 0));
      return value;
    } catch (error) {
      // A crash may already have undone the transaction.
      if (this.#begunAt !== null) undoTo(this.#undo, begunAt);
      throw error;
    } finally {
      this.#begunAt = null;
    }
  }

  crash(rng: Rng): void {
    if (this.#begunAt !== null) undoTo(this.#undo, this.#begunAt);
    this.#begunAt = null;
    if (this.#undo.length > 0) undoTo(this.#undo, rng.between(0, this.#undo.length));
    this.makeSafe();
  }

  setAlarm(alarm: Alarm | null): void {
    const before = this.alarm;
    this.alarm = alarm;
    this.wrote(() => {
      this.alarm = before;
    });
  }

  put(key: string, value: unknown): void {
    replace(this.kv, key, value, this);
  }

  remove(key: string): void {
    if (this.kv.has(key)) replace(this.kv, key, undefined, this);
  }

  /** Runs a write and returns the number of changed rows. */
  execute(sql: string, parameters: readonly SqlStorageValue[]): number {
    if (this.sqlite === null) throw new Error(`This object has no SQLite: ${sql}`);
    const { changes, undo } = this.sqlite.write(sql, parameters);
    this.wrote(undo);
    return changes;
  }

  table(name: string): Map<SqlStorageValue, Row> {
    const table = this.tables.get(name);
    if (table === undefined) throw new Error(`no such table: ${name}: SQLITE_ERROR`);
    return table;
  }

  makeTable(name: string): void {
    if (this.tables.has(name)) throw new Error(`table ${name} already exists: SQLITE_ERROR`);
    this.tables.set(name, new Map());
    this.wrote(() => this.tables.delete(name));
  }

  /** Inserts or replaces the row with this key, or deletes it if `row` is `undefined`. */
  setRow(table: string, key: SqlStorageValue, row: Row | undefined): void {
    replace(this.table(table), key, row, this);
  }

  deleteAll(): void {
    for (const name of this.sqlite?.tables() ?? []) this.execute(`DROP TABLE ${name}`, []);
    const [tables, kv] = [new Map(this.tables), new Map(this.kv)];
    this.tables.clear();
    this.kv.clear();
    this.wrote(() => {
      for (const [name, table] of tables) this.tables.set(name, table);
      for (const [key, value] of kv) this.kv.set(key, value);
    });
  }
}

/** Undoes writes, latest first, until `left` remain. */
function undoTo(undo: (() => void)[], left: number): void {
  while (undo.length > left) undo.pop()?.();
}

function replace<Key, Value>(
  map: Map<Key, Value>,
  key: Key,
  value: Value | undefined,
  disk: Disk,
): void {
  const before = map.get(key);
  if (value === undefined) map.delete(key);
  else map.set(key, value);
  disk.wrote(() => {
    if (before === undefined) map.delete(key);
    else map.set(key, before);
  });
}
