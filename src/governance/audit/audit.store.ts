import { and, asc, desc, eq, gt, gte, lt, lte, sql, type SQL } from "drizzle-orm";
import type { BatchItem, BatchResponse } from "drizzle-orm/batch";
import type { Statements } from "../../platform/d1/audited-batch.ts";
import type { Database } from "../../platform/d1/client.ts";
import { auditRetentionTable, auditTable } from "../../platform/d1/audit-schema.ts";
import { EXPIRED_ROWS_MAX } from "./limits.ts";
import { CHAIN_START, type AuditRow, type ChainPosition } from "../model/audit-chain.ts";
import type { AuditAction } from "../model/audit-entry.ts";

/** The position and time of the last row; those of the start of the chain if there is none. */
export async function findLastRow(db: Database): Promise<ChainPosition & { readonly at: number }> {
  const { seq, at, hash } = auditTable;
  const last = await db
    .select({ seq, at, hash })
    .from(auditTable)
    .orderBy(desc(seq))
    .limit(1)
    .get();
  return last ?? { ...CHAIN_START, at: 0 };
}

/**
 * Inserts a row if the statement before it changed anything, and returns its number. The batch fails if another change
 * has taken the number, even if the statement changed nothing, because what it is based on may have changed.
 */
function buildInsertIfChanged(db: Database, row: AuditRow) {
  const { seq, at, keyId, sessionId, address, userAgent, action, subjectType, subjectId } = row;
  const { before, after, requestId, previousHash, hash } = row;
  return db
    .insert(auditTable)
    .select(
      sql`SELECT ${seq}, ${at}, ${keyId}, ${sessionId}, ${address}, ${userAgent}, ${action}, ${subjectType},
      ${subjectId}, ${before}, ${after}, ${requestId}, ${previousHash}, ${hash}
      WHERE changes() > 0 OR ${seq} IS NOT (SELECT coalesce(max(seq), 0) + 1 FROM audit)`,
    )
    .returning({ seq: auditTable.seq });
}

/**
 * Runs statements and inserts a row after the deciding one, if that one changed anything. `expiredBefore`: rows from
 * before this time are deleted; null for none. The casts are safe, because `db.batch` returns one result for each
 * statement, in order.
 */
export async function runWithRow<Batch extends Statements>(
  db: Database,
  row: AuditRow,
  statements: Batch,
  { deciding, expiredBefore }: { readonly deciding: number; readonly expiredBefore: number | null },
): Promise<{ results: BatchResponse<Batch>; isInserted: boolean }> {
  const insert = buildInsertIfChanged(db, row);
  const place = deciding + 1;
  const batch = [...statements.toSpliced(place, 0, insert), ...buildExpiry(db, expiredBefore)];
  const all = (await db.batch(asStatements(batch))) as readonly unknown[];
  const inserted = all[place] as Awaited<typeof insert>;
  const results = all.toSpliced(place, 1).slice(0, statements.length);
  return { results: results as unknown as BatchResponse<Batch>, isInserted: inserted.length > 0 };
}

/** Inserts rows that belong to no other change. */
export async function insertRows(
  db: Database,
  rows: readonly [AuditRow, ...AuditRow[]],
  expiredBefore: number | null,
): Promise<void> {
  const inserts = rows.map((row) => db.insert(auditTable).values(row));
  await db.batch(asStatements([...inserts, ...buildExpiry(db, expiredBefore)]));
}

/** The cast is safe, because no list is empty. */
function asStatements(list: readonly BatchItem<"sqlite">[]): Statements {
  return list as Statements;
}

/** Whether an error means that another change has taken the number of a row. */
export function isNumberTaken(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return (
    error.message.includes("audit rows must have the next number") || isNumberTaken(error.cause)
  );
}

/**
 * The statements that delete the oldest rows from before `before`, except the last row, and note which row was deleted
 * last.
 */
function buildExpiry(db: Database, before: number | null): readonly BatchItem<"sqlite">[] {
  if (before === null) return [];
  const expired = sql`(SELECT max(seq) FROM (SELECT seq FROM audit WHERE at < ${before}
    AND seq < (SELECT max(seq) FROM audit) ORDER BY at, seq LIMIT ${EXPIRED_ROWS_MAX}))`;
  const note = db
    .update(auditRetentionTable)
    .set({
      deletedBefore: before,
      lastSeq: expired,
      lastHash: sql`(SELECT hash FROM audit WHERE seq = ${expired})`,
    })
    .where(sql`${expired} IS NOT NULL`);
  const remove = db
    .delete(auditTable)
    .where(sql`${auditTable.seq} <= (SELECT last_seq FROM audit_retention)`);
  return [note, remove];
}

/** The position before the oldest row that has not expired. */
export async function findChainStart(db: Database): Promise<ChainPosition> {
  const { lastSeq: seq, lastHash: hash } = auditRetentionTable;
  return (await db.select({ seq, hash }).from(auditRetentionTable).get()) ?? CHAIN_START;
}

/** The values that rows must have; undefined matches any. `from` and `to` are in milliseconds since 1970. */
export interface AuditFilter {
  readonly action?: AuditAction | undefined;
  readonly subjectType?: string | undefined;
  readonly subjectId?: string | undefined;
  readonly keyId?: string | undefined;
  /** The earliest time. */
  readonly from?: number | undefined;
  /** The time before which the rows were written. */
  readonly to?: number | undefined;
}

function matches({ action, subjectType, subjectId, keyId, from, to }: AuditFilter): SQL[] {
  return [
    ...(action === undefined ? [] : [eq(auditTable.action, action)]),
    ...(subjectType === undefined ? [] : [eq(auditTable.subjectType, subjectType)]),
    ...(subjectId === undefined ? [] : [eq(auditTable.subjectId, subjectId)]),
    ...(keyId === undefined ? [] : [eq(auditTable.keyId, keyId)]),
    ...(from === undefined ? [] : [gte(auditTable.at, from)]),
    ...(to === undefined ? [] : [lt(auditTable.at, to)]),
  ];
}

/** The matching rows before a row number, newest first. */
export async function listNewestRows(
  db: Database,
  filter: AuditFilter,
  { before, limit }: { readonly before: number | null; readonly limit: number },
): Promise<AuditRow[]> {
  const isBefore = before === null ? [] : [lt(auditTable.seq, before)];
  return db
    .select()
    .from(auditTable)
    .where(and(...matches(filter), ...isBefore))
    .orderBy(desc(auditTable.seq))
    .limit(limit);
}

/** The matching rows after a row number and up to another one, oldest first. */
export async function listOldestRows(
  db: Database,
  filter: AuditFilter,
  { after, upTo, limit }: { readonly after: number; readonly upTo: number; readonly limit: number },
): Promise<AuditRow[]> {
  return db
    .select()
    .from(auditTable)
    .where(and(...matches(filter), gt(auditTable.seq, after), lte(auditTable.seq, upTo)))
    .orderBy(asc(auditTable.seq))
    .limit(limit);
}
