import {
  DELIVERY_STATUSES,
  type DeliveryAttempt,
  type Delivery,
  type DeliveryLogEntry,
  type DeliveryStatus,
} from "../model/delivery.ts";
import type { FeedEventType } from "../model/feed.ts";

const ENTRY_COLUMNS =
  "status, id, next_at, settled_at, created_at, round, tries, round_started_at, reason, task_id, seq, type, attempts";
/** The same columns, named like the fields of an entry. */
const ENTRY_FIELDS =
  "status, id, next_at AS nextAt, settled_at AS settledAt, created_at AS createdAt, round, tries, round_started_at AS roundStartedAt, reason, task_id AS sourceId, seq, type, attempts";

type EntryRow = Omit<DeliveryLogEntry, "status" | "type" | "attempts"> & {
  readonly status: number;
  readonly type: string;
  readonly attempts: string;
};

/**
 * A webhook's deliveries in its object's storage, one row each. Rows are ordered by status, so pending deliveries are
 * found without an index and a delivery writes only two rows.
 */
export class DeliveryLog {
  readonly #sql: SqlStorage;
  #hasTable = false;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
    this.checkTable();
  }

  /** Checks again whether the table exists, after storage was deleted or a transaction was rolled back. */
  checkTable(): void {
    const tables = this.#sql.exec(
      "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'deliveries'",
    );
    this.#hasTable = tables.next().done !== true;
  }

  insert(delivery: Delivery): void {
    this.#createTable();
    this.#sql.exec(
      `INSERT INTO deliveries (${ENTRY_COLUMNS}, event) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      ...toColumnValues(delivery),
      JSON.stringify(delivery.event),
    );
  }

  /** Updates a delivery that had the status `before`. */
  update(before: DeliveryStatus, entry: DeliveryLogEntry): void {
    this.#sql.exec(
      `UPDATE deliveries SET (${ENTRY_COLUMNS}) = (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
       WHERE status = ? AND id = ?`,
      ...toColumnValues(entry),
      statusCodeOf(before),
      entry.id,
    );
  }

  remove({ status, id }: DeliveryLogEntry): void {
    this.#sql.exec("DELETE FROM deliveries WHERE status = ? AND id = ?", statusCodeOf(status), id);
  }

  find(id: number): Delivery | null {
    const [delivery] = this.#selectDeliveries("status IN (0, 1, 2) AND id = ?", id);
    return delivery ?? null;
  }

  /** Pending deliveries that are due, most overdue first. */
  listDue(now: number, limit: number): Delivery[] {
    return this.#selectDeliveries(
      "status = 0 AND next_at <= ? ORDER BY next_at, id LIMIT ?",
      now,
      limit,
    );
  }

  /** Deliveries with an id less than `below`, newest first. If `status` is null, deliveries with any status. */
  list(status: DeliveryStatus | null, below: number, limit: number): DeliveryLogEntry[] {
    if (!this.#hasTable) return [];
    const parts = (status === null ? DELIVERY_STATUSES : [status]).map(
      (one) =>
        `SELECT * FROM (SELECT ${ENTRY_FIELDS} FROM deliveries WHERE status = ${statusCodeOf(one)} AND id < ?1 ORDER BY id DESC LIMIT ?2)`,
    );
    const query = `${parts.join(" UNION ALL ")} ORDER BY id DESC LIMIT ?2`;
    return [...this.#sql.exec<EntryRow>(query, below, limit)].map(toLogEntry);
  }

  /** The highest id; 0 if there are no deliveries. */
  findNewestId(): number {
    const parts = DELIVERY_STATUSES.map(
      (one) => `coalesce((SELECT max(id) FROM deliveries WHERE status = ${statusCodeOf(one)}), 0)`,
    );
    return this.#selectNumber(`SELECT max(${parts.join(", ")})`) ?? 0;
  }

  countPending(): number {
    return this.#selectNumber("SELECT count(*) FROM deliveries WHERE status = 0") ?? 0;
  }

  /** When the next attempt of any delivery is due; null if nothing is pending. */
  findNextAttemptAt(): number | null {
    return this.#selectNumber("SELECT min(next_at) FROM deliveries WHERE status = 0");
  }

  /** The time of the last success among the `limit` newest delivered events. */
  findLastSuccessAt(limit: number): number | null {
    return this.#selectNumber(
      `SELECT max(settled_at) FROM
         (SELECT settled_at FROM deliveries WHERE status = 1 ORDER BY id DESC LIMIT ?)`,
      limit,
    );
  }

  failPending(reason: string, now: number): void {
    if (!this.#hasTable) return;
    this.#sql.exec(
      `UPDATE deliveries SET status = 2, next_at = NULL, settled_at = ?, reason = ?
       WHERE status = 0`,
      now,
      reason,
    );
  }

  /** Deletes up to `limit` deliveries that ended at or before `endedBy`, and returns how many it deleted. */
  prune(endedBy: number, limit: number): number {
    if (!this.#hasTable) return 0;
    return this.#sql.exec(
      `DELETE FROM deliveries WHERE (status, id) IN
         (SELECT status, id FROM deliveries WHERE status IN (1, 2) AND settled_at <= ? LIMIT ?)`,
      endedBy,
      limit,
    ).rowsWritten;
  }

  findOldestEndAt(): number | null {
    return this.#selectNumber("SELECT min(settled_at) FROM deliveries WHERE status IN (1, 2)");
  }

  #selectDeliveries(where: string, ...values: readonly number[]): Delivery[] {
    if (!this.#hasTable) return [];
    const rows = this.#sql.exec<EntryRow & { readonly event: string }>(
      `SELECT ${ENTRY_FIELDS}, event FROM deliveries WHERE ${where}`,
      ...values,
    );
    return [...rows].map((row) => ({ ...toLogEntry(row), event: JSON.parse(row.event) }));
  }

  #selectNumber(query: string, ...values: readonly number[]): number | null {
    if (!this.#hasTable) return null;
    const [row] = this.#sql.exec(query, ...values).raw();
    return Number.isInteger(row?.[0]) ? Number(row?.[0]) : null;
  }

  #createTable(): void {
    if (this.#hasTable) return;
    this.#sql.exec(
      `CREATE TABLE deliveries (
         status INTEGER NOT NULL, id INTEGER NOT NULL, next_at INTEGER, settled_at INTEGER,
         created_at INTEGER NOT NULL, round INTEGER NOT NULL, tries INTEGER NOT NULL,
         round_started_at INTEGER, reason TEXT, task_id TEXT NOT NULL, seq INTEGER NOT NULL,
         type TEXT NOT NULL, attempts TEXT NOT NULL, event TEXT NOT NULL, PRIMARY KEY (status, id)
       ) WITHOUT ROWID`,
    );
    this.#hasTable = true;
  }
}

/** The first part of the primary key: 0 for pending, 1 for delivered, 2 for failed. */
function statusCodeOf(status: DeliveryStatus): number {
  return DELIVERY_STATUSES.indexOf(status);
}

/** Column values in the order of ENTRY_COLUMNS. */
function toColumnValues(entry: DeliveryLogEntry): SqlStorageValue[] {
  const { status, id, nextAt, settledAt, createdAt, round, tries, roundStartedAt } = entry;
  const { reason, sourceId, seq, type, attempts } = entry;
  const due = [statusCodeOf(status), id, nextAt, settledAt];
  const tried = [createdAt, round, tries, roundStartedAt];
  return [...due, ...tried, reason, sourceId, seq, type, JSON.stringify(attempts)];
}

/** The casts are safe because only this class writes the table. */
function toLogEntry(row: EntryRow): DeliveryLogEntry {
  return {
    ...row,
    type: row.type as FeedEventType,
    status: DELIVERY_STATUSES[row.status] ?? "failed",
    attempts: JSON.parse(row.attempts) as DeliveryAttempt[],
  };
}
