import { UnavailableError } from "../../kernel/failure.ts";
import { DAY_MS } from "../../kernel/units.ts";
import type { AuditedBatch } from "../../platform/d1/audited-batch.ts";
import { getDatabase } from "../../platform/d1/client.ts";
import { readAmount } from "../../tasks/model/schedule.ts";
import { findLastRow, insertRows, isNumberTaken, runWithRow } from "./audit.store.ts";
import { AUDIT_ATTEMPTS_MAX, AUDIT_RETENTION_DAYS_MAX, AUDIT_RETRY_MS } from "./limits.ts";
import { hashRow, type AuditRow, type ChainPosition } from "../model/audit-chain.ts";
import { changedFields, subjectTypeOf, type Actor, type AuditEntry } from "../model/audit-entry.ts";
import { sha256Text } from "../../platform/crypto/hash.ts";
import { redactState } from "../model/audit-state.ts";

export type AuditEnv = Pick<Env, "DB" | "AUDIT_RETENTION_DAYS">;

/** Prepares the transaction of a change. */
export type RecordChange = (entry: AuditEntry) => AuditedBatch;

/**
 * Makes a change and records it in the audit log, in one transaction. `change` reads what it needs, then runs its
 * statements with `record(entry)(statements)`. If another change was recorded since `change` began, the transaction
 * fails and `change` runs again, so what it has read is still true when its statements run. It must therefore make no
 * other changes before its statements. Throws UnavailableError if other changes keep getting in first.
 *
 * @example
 * audited(env, actor, async (record) => {
 *   const before = await findPolicy(db, id);
 *   if (before === null) return null;
 *   return deletePolicy(db, id, record({ action: "policy.deleted", subjectId: id, before }));
 * });
 */
export async function audited<Outcome>(
  env: AuditEnv,
  actor: Actor,
  change: (record: RecordChange) => Promise<Outcome>,
): Promise<Outcome> {
  const db = getDatabase(env.DB);
  return retryIfNumberTaken(async () => {
    let last = await findLastRow(db);
    return change((entry) => async (statements, deciding = 0) => {
      const now = Date.now();
      const row = buildRow(last, actor, entry, now);
      const { results, isInserted } = await runWithRow(db, row, statements, {
        deciding,
        expiredBefore: expiredBefore(env, now),
      });
      if (isInserted) last = row;
      return results;
    });
  });
}

/** An entry that is recorded on its own, because it changes nothing in the database. */
export interface AuditEvent {
  readonly actor: Actor;
  readonly entry: AuditEntry;
}

/** Records entries in one transaction, in order. Returns the last row. */
export async function recordEvents(
  env: AuditEnv,
  [first, ...others]: readonly [AuditEvent, ...AuditEvent[]],
): Promise<AuditRow> {
  const db = getDatabase(env.DB);
  return retryIfNumberTaken(async () => {
    const now = Date.now();
    const row = buildRow(await findLastRow(db), first.actor, first.entry, now);
    const rows: [AuditRow, ...AuditRow[]] = [row];
    for (const { actor, entry } of others)
      rows.push(buildRow(rows.at(-1) ?? row, actor, entry, now));
    await insertRows(db, rows, expiredBefore(env, now));
    return rows.at(-1) ?? row;
  });
}

async function retryIfNumberTaken<Outcome>(work: () => Promise<Outcome>): Promise<Outcome> {
  for (let attempt = 0; attempt < AUDIT_ATTEMPTS_MAX; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (!isNumberTaken(error)) throw error;
    }
    const { first, max } = AUDIT_RETRY_MS;
    const waitMs = 2 * Math.random() * Math.min(max, first * 2 ** attempt);
    await new Promise((resolve) => setTimeout(resolve, waitMs));
  }
  throw new UnavailableError("The audit log", "other changes were recorded at the same time");
}

/** The row that follows `last`. Times never decrease, so rows are also in the order of their times. */
function buildRow(
  last: ChainPosition & Pick<AuditRow, "at">,
  actor: Actor,
  entry: AuditEntry,
  now: number,
): AuditRow {
  const { before, after } = changedFields(entry);
  const row = {
    seq: last.seq + 1,
    at: Math.max(now, last.at),
    ...actor,
    action: entry.action,
    subjectType: subjectTypeOf(entry.action),
    subjectId: entry.subjectId,
    before: redactState(before, sha256Text),
    after: redactState(after, sha256Text),
    previousHash: last.hash,
  };
  return hashRow(row, sha256Text);
}

/** The time before which rows have expired; null if rows are kept permanently. */
function expiredBefore(
  { AUDIT_RETENTION_DAYS: days = "0" }: { readonly AUDIT_RETENTION_DAYS?: string },
  now: number,
): number | null {
  const retentionDays = readAmount("AUDIT_RETENTION_DAYS", days, AUDIT_RETENTION_DAYS_MAX);
  return retentionDays === 0 ? null : now - retentionDays * DAY_MS;
}
