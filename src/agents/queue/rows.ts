import type { Priority } from "../../domain/task.ts";
import type { Placed, QueueRecord, QueueStore } from "./placed.ts";

interface EntryRow extends Record<string, SqlStorageValue> {
  task_id: string;
  seq: number;
  priority: string;
  deadline: number | null;
  since: number;
  is_running: number;
  generation: number;
  /** Absent in tables of earlier releases. */
  key_id?: string | null;
}

const RECORD = "record";

/** A queue in its object's storage: a row a task. The table is made with the first and never before. */
export class QueueRows implements QueueStore {
  readonly #sql: SqlStorage;
  readonly #kv: SyncKvStorage;
  #hasTable: boolean;
  #hasKeys: boolean;

  constructor({ sql, kv }: DurableObjectStorage) {
    this.#sql = sql;
    this.#kv = kv;
    const [table] = sql.exec<{ sql: string }>(
      "SELECT sql FROM sqlite_master WHERE type = 'table' AND name = 'entries'",
    );
    this.#hasTable = table !== undefined;
    this.#hasKeys = table?.sql.includes("key_id") ?? false;
  }

  *entries(): Generator<Placed> {
    if (!this.#hasTable) return;
    for (const row of this.#sql.exec<EntryRow>("SELECT * FROM entries")) yield entryOf(row);
  }

  put(entry: Placed): void {
    const { taskId, seq, priority, deadline, since, isRunning, generation, keyId } = entry;
    this.#makeTable();
    this.#sql.exec(
      `INSERT INTO entries (task_id, seq, priority, deadline, since, is_running, generation, key_id)
       VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
       ON CONFLICT (task_id) DO UPDATE
       SET seq = ?2, priority = ?3, deadline = ?4, since = ?5, is_running = ?6, generation = ?7,
         key_id = ?8`,
      taskId,
      seq,
      priority,
      deadline,
      since,
      isRunning ? 1 : 0,
      generation,
      keyId,
    );
  }

  remove(taskId: string): void {
    this.#sql.exec("DELETE FROM entries WHERE task_id = ?", taskId);
  }

  record(): QueueRecord | null {
    return this.#kv.get<QueueRecord>(RECORD) ?? null;
  }

  keep(record: QueueRecord): void {
    this.#kv.put(RECORD, record);
  }

  /** WITHOUT ROWID: the key is the table itself, so that an entry is one row and not two. */
  #makeTable(): void {
    if (this.#hasTable && this.#hasKeys) return;
    if (this.#hasTable) {
      this.#sql.exec("ALTER TABLE entries ADD COLUMN key_id TEXT");
      this.#hasKeys = true;
      return;
    }
    this.#sql.exec(
      `CREATE TABLE entries (
         task_id TEXT PRIMARY KEY, seq INTEGER NOT NULL, priority TEXT NOT NULL,
         deadline INTEGER, since INTEGER NOT NULL, is_running INTEGER NOT NULL,
         generation INTEGER NOT NULL, key_id TEXT
       ) WITHOUT ROWID`,
    );
    this.#hasTable = true;
    this.#hasKeys = true;
  }
}

/** Only `put` writes this table, so a row's priority is one of the known words. */
function entryOf({
  task_id,
  seq,
  priority,
  deadline,
  since,
  is_running,
  generation,
  key_id = null,
}: EntryRow): Placed {
  return {
    taskId: task_id,
    seq,
    priority: priority as Priority,
    deadline,
    since,
    isRunning: is_running === 1,
    generation,
    keyId: key_id,
  };
}
