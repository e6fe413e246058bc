import { CLAIM_TASKS_MAX } from "../limits.ts";
import type { QueueEntry } from "../model/queue-entry.ts";
import type { QueueTerms } from "./queue.rpc.ts";

/** A queued task and the queue's generation when the task was added. */
export interface StoredQueueEntry extends QueueEntry {
  readonly generation: number;
  /**
   * The key that the task was last claimed with; null while the task waits, and for the root key, which never expires.
   */
  readonly keyId: string | null;
  /**
   * The name of the worker that holds the task; null while the task waits, if the worker has no name, and in rows from
   * earlier releases.
   */
  readonly worker: string | null;
  /** The request that last wrote the row; null in rows from earlier releases. */
  readonly requestId: string | null;
}

/** The state of a queue without its entries. */
export interface QueueRecord {
  readonly agentId: string;
  readonly terms: QueueTerms;
  /** Whether the agent accepts tasks. */
  readonly isOpen: boolean;
  /** Incremented when all waiting tasks must be released, so that a crash cannot prevent their release. */
  readonly generation: number;
  /** The request that wrote the record; absent in records from earlier releases. */
  readonly requestId?: string | null;
}

/**
 * A task's response to an offer; `lost` if there was none. `seq` is the task's last event, which orders the response
 * relative to the task's other calls.
 */
export type OfferResult =
  | {
      readonly kind: "admitted";
      readonly seq: number;
      readonly keyId: string | null;
      readonly worker: string | null;
    }
  | { readonly kind: "rejected"; readonly isWorking: boolean }
  | { readonly kind: "lost" };

type EntryRow = Omit<StoredQueueEntry, "isRunning"> & { readonly isRunning: number };

const RECORD_KEY = "record";
/** Columns missing from tables created by earlier releases. */
const ADDED_COLUMNS = ["key_id", "request_id", "worker"];

/** The store methods that a queue's slots need. Each `put` and `remove` writes one row. */
export type QueueStore = Pick<
  SqlQueueStore,
  "listEntries" | "put" | "remove" | "loadRecord" | "saveRecord"
>;

/** Stores a queue in its object's storage, one row per task. The first task creates the table. */
export class SqlQueueStore {
  readonly #sql: SqlStorage;
  readonly #kv: SyncKvStorage;
  #hasTable: boolean;
  readonly #missingColumns: Set<string>;

  constructor({ sql, kv }: DurableObjectStorage) {
    this.#sql = sql;
    this.#kv = kv;
    const [table] = sql.exec<{ sql: string }>(
      "SELECT sql FROM sqlite_master WHERE type = 'table' AND name = 'entries'",
    );
    this.#hasTable = table !== undefined;
    this.#missingColumns = new Set(
      ADDED_COLUMNS.filter((name) => table?.sql.includes(name) === false),
    );
  }

  *listEntries(): Iterable<StoredQueueEntry> {
    if (!this.#hasTable) return;
    const [keyId, requestId, worker] = ADDED_COLUMNS.map((name) =>
      this.#missingColumns.has(name) ? "NULL" : name,
    );
    const rows = this.#sql.exec<EntryRow>(
      `SELECT task_id AS taskId, seq, priority, deadline, since, is_running AS isRunning, generation,
         ${keyId} AS keyId, ${requestId} AS requestId, ${worker} AS worker FROM entries`,
    );
    for (const row of rows) yield { ...row, isRunning: row.isRunning === 1 };
  }

  put(entry: StoredQueueEntry): void {
    const { taskId, seq, priority, deadline, since, isRunning, generation, keyId, worker } = entry;
    this.#createTable();
    this.#sql.exec(
      `INSERT INTO entries (task_id, seq, priority, deadline, since, is_running, generation, key_id,
         request_id, worker)
       VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)
       ON CONFLICT (task_id) DO UPDATE
       SET seq = ?2, priority = ?3, deadline = ?4, since = ?5, is_running = ?6, generation = ?7,
         key_id = ?8, request_id = ?9, worker = ?10`,
      taskId,
      seq,
      priority,
      deadline,
      since,
      isRunning ? 1 : 0,
      generation,
      keyId,
      entry.requestId,
      worker,
    );
  }

  remove(taskId: string): void {
    this.#sql.exec("DELETE FROM entries WHERE task_id = ?", taskId);
  }

  loadRecord(): QueueRecord | null {
    return this.#kv.get<QueueRecord>(RECORD_KEY) ?? null;
  }

  saveRecord(record: QueueRecord): void {
    this.#kv.put(RECORD_KEY, record);
  }

  /** WITHOUT ROWID makes an entry write one row instead of two. */
  #createTable(): void {
    for (const name of this.#missingColumns) {
      this.#sql.exec(`ALTER TABLE entries ADD COLUMN ${name} TEXT`);
      this.#missingColumns.delete(name);
    }
    if (this.#hasTable) return;
    this.#sql.exec(
      `CREATE TABLE entries (
         task_id TEXT PRIMARY KEY, seq INTEGER NOT NULL, priority TEXT NOT NULL,
         deadline INTEGER, since INTEGER NOT NULL, is_running INTEGER NOT NULL,
         generation INTEGER NOT NULL, key_id TEXT, request_id TEXT, worker TEXT
       ) WITHOUT ROWID`,
    );
    this.#hasTable = true;
  }
}

const OVER_BUDGET_PREFIX = "over-budget:";

/**
 * Tasks that left the queue because they had used up their budgets, each with the `seq` of the event that removed it. A
 * task that is back within its budget notifies the queue; until the notification arrives, its entry is outdated.
 */
export class OverBudgetTasks {
  readonly #kv: SyncKvStorage;

  constructor(kv: SyncKvStorage) {
    this.#kv = kv;
  }

  /** The first page of tasks, ordered by id. */
  listPage(): string[] {
    const entries = this.#kv.list<number>({ prefix: OVER_BUDGET_PREFIX, limit: CLAIM_TASKS_MAX });
    return [...entries].map(([key]) => key.slice(OVER_BUDGET_PREFIX.length));
  }

  /** Adds a task as of log event `seq`, unless a newer event has already added it. */
  add(taskId: string, seq: number): void {
    const key = `${OVER_BUDGET_PREFIX}${taskId}`;
    if ((this.#kv.get<number>(key) ?? -1) < seq) this.#kv.put(key, seq);
  }

  /** Removes a task as of log event `seq`, unless a newer event has added it. */
  remove(taskId: string, seq: number): void {
    const overBudgetSeq = this.#kv.get<number>(`${OVER_BUDGET_PREFIX}${taskId}`);
    if (overBudgetSeq !== undefined && overBudgetSeq <= seq)
      this.#kv.delete(`${OVER_BUDGET_PREFIX}${taskId}`);
  }
}
