import {
  DELIVERY_STATUSES,
  type Attempt,
  type Delivery,
  type DeliveryLine,
  type DeliveryStatus,
} from "../domain/delivery.ts";
import type { EventType } from "../domain/events.ts";

interface LineRow extends Record<string, SqlStorageValue> {
  status: number;
  id: number;
  next_at: number | null;
  settled_at: number | null;
  created_at: number;
  round: number;
  tries: number;
  round_started_at: number | null;
  reason: string | null;
  task_id: string;
  seq: number;
  type: string;
  attempts: string;
}

interface DeliveryRow extends LineRow {
  event: string;
}

const LINE =
  "status, id, next_at, settled_at, created_at, round, tries, round_started_at, reason, task_id, seq, type, attempts";

/**
 * The deliveries of a webhook in its object's storage: a row each, which lies with those of its status.
 * So what is pending is found without an index, and a delivery writes two rows: it came, it went.
 */
export class DeliveryLog {
  readonly #sql: SqlStorage;
  #hasTable = false;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
    this.recall();
  }

  /** Looks anew what there is, after storage was deleted or a transaction undone. */
  recall(): void {
    const tables = this.#sql.exec(
      "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'deliveries'",
    );
    this.#hasTable = tables.next().done !== true;
  }

  insert(delivery: Delivery): void {
    this.#makeTable();
    this.#sql.exec(
      `INSERT INTO deliveries (${LINE}, event) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      ...columns(delivery),
      JSON.stringify(delivery.event),
    );
  }

  /** Writes what has become of a delivery that stood at `before`. */
  update(before: DeliveryStatus, line: DeliveryLine): void {
    this.#sql.exec(
      `UPDATE deliveries SET (${LINE}) = (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
       WHERE status = ? AND id = ?`,
      ...columns(line),
      codeOf(before),
      line.id,
    );
  }

  remove({ status, id }: DeliveryLine): void {
    this.#sql.exec("DELETE FROM deliveries WHERE status = ? AND id = ?", codeOf(status), id);
  }

  find(id: number): Delivery | null {
    const [delivery] = this.#deliveries("status IN (0, 1, 2) AND id = ?", id);
    return delivery ?? null;
  }

  /** Pending deliveries that are due, the longest due first. */
  due(now: number, limit: number): Delivery[] {
    return this.#deliveries("status = 0 AND next_at <= ? ORDER BY next_at, id LIMIT ?", now, limit);
  }

  /** Deliveries below an id, newest first; null: of any status. */
  lines(status: DeliveryStatus | null, below: number, limit: number): DeliveryLine[] {
    if (!this.#hasTable) return [];
    const parts = (status === null ? DELIVERY_STATUSES : [status]).map(
      (one) =>
        `SELECT * FROM (SELECT ${LINE} FROM deliveries WHERE status = ${codeOf(one)} AND id < ?1 ORDER BY id DESC LIMIT ?2)`,
    );
    const query = `${parts.join(" UNION ALL ")} ORDER BY id DESC LIMIT ?2`;
    return [...this.#sql.exec<LineRow>(query, below, limit)].map(lineOf);
  }

  /** The highest id, 0 for none. */
  newestId(): number {
    const parts = DELIVERY_STATUSES.map(
      (one) => `SELECT max(id) FROM deliveries WHERE status = ${codeOf(one)}`,
    );
    return (
      this.#number(`SELECT max(${parts.map((part) => `coalesce((${part}), 0)`).join(", ")})`) ?? 0
    );
  }

  pending(): number {
    return this.#number("SELECT count(*) FROM deliveries WHERE status = 0") ?? 0;
  }

  /** When the next attempt of any delivery is due; null when nothing is pending. */
  nextAt(): number | null {
    return this.#number("SELECT min(next_at) FROM deliveries WHERE status = 0");
  }

  /** When one of the last `among` deliveries to succeed did so last. */
  lastSuccessAt(among: number): number | null {
    return this.#number(
      `SELECT max(settled_at) FROM
         (SELECT settled_at FROM deliveries WHERE status = 1 ORDER BY id DESC LIMIT ?)`,
      among,
    );
  }

  /** Ends what is pending, for this reason. */
  giveUp(reason: string, now: number): void {
    if (!this.#hasTable) return;
    this.#sql.exec(
      `UPDATE deliveries SET status = 2, next_at = NULL, settled_at = ?, reason = ?
       WHERE status = 0`,
      now,
      reason,
    );
  }

  /** Deletes up to `limit` deliveries that ended by an instant; says how many. */
  prune(endedBy: number, limit: number): number {
    if (!this.#hasTable) return 0;
    return this.#sql.exec(
      `DELETE FROM deliveries WHERE (status, id) IN
         (SELECT status, id FROM deliveries WHERE status IN (1, 2) AND settled_at <= ? LIMIT ?)`,
      endedBy,
      limit,
    ).rowsWritten;
  }

  oldestEndAt(): number | null {
    return this.#number("SELECT min(settled_at) FROM deliveries WHERE status IN (1, 2)");
  }

  #deliveries(where: string, ...values: readonly number[]): Delivery[] {
    if (!this.#hasTable) return [];
    const rows = this.#sql.exec<DeliveryRow>(
      `SELECT ${LINE}, event FROM deliveries WHERE ${where}`,
      ...values,
    );
    return [...rows].map((row) => ({ ...lineOf(row), event: JSON.parse(row.event) }));
  }

  #number(query: string, ...values: readonly number[]): number | null {
    if (!this.#hasTable) return null;
    const [row] = this.#sql.exec(query, ...values).raw();
    return Number.isInteger(row?.[0]) ? Number(row?.[0]) : null;
  }

  #makeTable(): void {
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

/** The first part of the key: 0 for pending, 1 for delivered, 2 for failed. */
function codeOf(status: DeliveryStatus): number {
  return DELIVERY_STATUSES.indexOf(status);
}

/** In the order of LINE. */
function columns(line: DeliveryLine): SqlStorageValue[] {
  return [
    codeOf(line.status),
    line.id,
    line.nextAt,
    line.settledAt,
    line.createdAt,
    line.round,
    line.tries,
    line.roundStartedAt,
    line.reason,
    line.taskId,
    line.seq,
    line.type,
    JSON.stringify(line.attempts),
  ];
}

/** Only this log writes the table, so a row holds a known status, a known type and attempts. */
function lineOf(row: LineRow): DeliveryLine {
  return {
    id: row.id,
    taskId: row.task_id,
    seq: row.seq,
    type: row.type as EventType,
    status: DELIVERY_STATUSES[row.status] ?? "failed",
    createdAt: row.created_at,
    nextAt: row.next_at,
    settledAt: row.settled_at,
    round: row.round,
    tries: row.tries,
    roundStartedAt: row.round_started_at,
    reason: row.reason,
    attempts: JSON.parse(row.attempts) as Attempt[],
  };
}
