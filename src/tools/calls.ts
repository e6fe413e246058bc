import { RECENT_CALLS_MAX } from "../domain/limits.ts";
import { sumOf } from "../domain/money.ts";
import { dayOf, type CallRecord, type DayUsage } from "../domain/usage.ts";

/**
 * A tool's calls in its meter's SQLite: usage by day and agent, and a ring of the last calls. Two rows
 * are written for a call. The tables are made when the first call ends, so an unused meter stays empty.
 */
export class CallLog {
  readonly #sql: SqlStorage;
  #next: number | null = null;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  record(call: CallRecord): void {
    const seq = this.#next ?? this.#prepare();
    this.#next = seq + 1;
    this.#sql.exec(
      "INSERT OR REPLACE INTO calls (slot, seq, data) VALUES (?, ?, ?)",
      seq % RECENT_CALLS_MAX,
      seq,
      JSON.stringify(call),
    );
    this.#sql.exec(
      `INSERT INTO usage (day, agent_id, calls, failed, cost, duration_ms) VALUES (?, ?, 1, ?, ?, ?)
       ON CONFLICT DO UPDATE SET calls = calls + 1, failed = failed + excluded.failed,
         cost = cost + excluded.cost, duration_ms = duration_ms + excluded.duration_ms`,
      dayOf(call.at),
      call.agentId ?? NOBODY,
      call.code === null ? 0 : 1,
      call.cost,
      call.durationMs,
    );
  }

  /** Usage from a day on, oldest first. */
  days(from: string, agentIds: readonly string[] | null): DayUsage[] {
    if (!this.#exists()) return [];
    const rows = this.#sql.exec<{
      day: string;
      agent_id: string;
      calls: number;
      failed: number;
      cost: number;
      duration_ms: number;
    }>("SELECT * FROM usage WHERE day >= ? ORDER BY day, agent_id", from);
    return [...rows]
      .map((row) => ({
        day: row.day,
        agentId: row.agent_id === NOBODY ? null : row.agent_id,
        calls: row.calls,
        failed: row.failed,
        cost: sumOf([row.cost]),
        durationMs: row.duration_ms,
      }))
      .filter((usage) => isOf(usage.agentId, agentIds));
  }

  /** The last calls, newest first. */
  recent(agentIds: readonly string[] | null): CallRecord[] {
    if (!this.#exists()) return [];
    const rows = this.#sql.exec<{ data: string }>("SELECT data FROM calls ORDER BY seq DESC");
    return [...rows]
      .map(({ data }): CallRecord => JSON.parse(data))
      .filter((call) => isOf(call.agentId, agentIds));
  }

  #exists(): boolean {
    const found = this.#sql.exec("SELECT 1 FROM sqlite_schema WHERE name = 'usage'");
    return found.toArray().length > 0;
  }

  /** Makes the tables where there are none; answers the next number. */
  #prepare(): number {
    this.#sql.exec(
      `CREATE TABLE IF NOT EXISTS calls (slot INTEGER PRIMARY KEY, seq INTEGER NOT NULL, data TEXT NOT NULL);
       CREATE TABLE IF NOT EXISTS usage (
         day TEXT NOT NULL, agent_id TEXT NOT NULL, calls INTEGER NOT NULL, failed INTEGER NOT NULL,
         cost REAL NOT NULL, duration_ms INTEGER NOT NULL, PRIMARY KEY (day, agent_id)
       ) WITHOUT ROWID;`,
    );
    const last = this.#sql.exec<{ seq: number | null }>("SELECT max(seq) AS seq FROM calls").one();
    return (last.seq ?? 0) + 1;
  }
}

/** How a caller that is no agent is written down: no agent has an empty id. */
const NOBODY = "";

function isOf(agentId: string | null, agentIds: readonly string[] | null): boolean {
  return agentIds === null || (agentId !== null && agentIds.includes(agentId));
}
