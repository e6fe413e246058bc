import type { BatchItem, BatchResponse } from "drizzle-orm/batch";
import { UnavailableError } from "../../kernel/failure.ts";
import { DAY_MS } from "../../kernel/units.ts";
import { getDatabase, type Database } from "../../platform/d1/client.ts";
import { readAmount } from "../../tasks/model/schedule.ts";
import {
  buildAuditInsert,
  buildExpiry,
  buildUnconditionalInsert,
  findLastRow,
  isNumberTaken,
} from "./audit.store.ts";
import { AUDIT_ATTEMPTS_MAX, AUDIT_RETENTION_DAYS_MAX, AUDIT_RETRY_MS } from "./limits.ts";
import { hashRow, type AuditRow, type ChainPosition } from "./model/chain.ts";
import { changedFields, subjectTypeOf, type Actor, type AuditEntry } from "./model/entry.ts";
import { redactState, sha256Text } from "./redact-state.ts";

export type AuditEnv = Pick<Env, "DB" | "AUDIT_RETENTION_DAYS">;

type Statements = readonly [BatchItem<"sqlite">, ...BatchItem<"sqlite">[]];

/**
 * Runs statements in one transaction, with the row of the audit log, as `db.batch` does. The row is inserted only if the
 * statement with the index `deciding` (by default the first one) inserts, updates or deletes at least one row.
 */
export type AuditedBatch = <Batch extends Statements>(
  statements: Batch,
  deciding?: number,
) => Promise<BatchResponse<Batch>>;

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
      const position = deciding + 1;
      const { results, isInserted } = await runWithInsert(db, statements, position, [
        buildAuditInsert(db, row),
        ...buildExpiryIfAny(db, env, now),
      ]);
      if (isInserted) last = row;
      return results;
    });
  });
}

/** Runs statements as `db.batch` does, for changes that are not recorded: those of a task's own webhooks. */
export function unaudited(db: Database): AuditedBatch {
  return (statements) => db.batch(statements);
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
    let row = buildRow(await findLastRow(db), first.actor, first.entry, now);
    const inserts = [buildUnconditionalInsert(db, row)];
    for (const { actor, entry } of others) {
      row = buildRow(row, actor, entry, now);
      inserts.push(buildUnconditionalInsert(db, row));
    }
    await db.batch(asStatements([...inserts, ...buildExpiryIfAny(db, env, now)]));
    return row;
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
    before: redactState(before),
    after: redactState(after),
    previousHash: last.hash,
  };
  return hashRow(row, sha256Text);
}

/** The statements that delete expired rows; none if rows are kept permanently. */
function buildExpiryIfAny(
  db: Database,
  { AUDIT_RETENTION_DAYS: days = "0" }: { readonly AUDIT_RETENTION_DAYS?: string },
  now: number,
): readonly BatchItem<"sqlite">[] {
  const retentionDays = readAmount("AUDIT_RETENTION_DAYS", days, AUDIT_RETENTION_DAYS_MAX);
  return retentionDays === 0 ? [] : buildExpiry(db, now - retentionDays * DAY_MS);
}

/**
 * Runs a batch with the insert of an audit row at `position` and more statements at the end. The casts are safe, because
 * `db.batch` returns one result for each statement, in order.
 */
async function runWithInsert<Batch extends Statements>(
  db: Database,
  statements: Batch,
  position: number,
  [insert, ...more]: readonly [ReturnType<typeof buildAuditInsert>, ...BatchItem<"sqlite">[]],
): Promise<{ results: BatchResponse<Batch>; isInserted: boolean }> {
  const batch = [...statements.toSpliced(position, 0, insert), ...more];
  const all = (await db.batch(asStatements(batch))) as readonly unknown[];
  const inserted = all[position] as Awaited<typeof insert>;
  const results = all.toSpliced(position, 1).slice(0, statements.length);
  return {
    results: results as unknown as BatchResponse<Batch>,
    isInserted: inserted.length > 0,
  };
}

/** The cast is safe, because the list is not empty. */
function asStatements(list: readonly BatchItem<"sqlite">[]): Statements {
  return list as Statements;
}
