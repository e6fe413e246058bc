import { asc, eq, getTableColumns, sql, type SQL } from "drizzle-orm";
import { ROOT_KEY_ID } from "../../keys/model/key.ts";
import type { AuditedBatch } from "../../platform/d1/audited-batch.ts";
import { buildConditionalInsert, type Database } from "../../platform/d1/client.ts";
import { limitsTable } from "../../platform/d1/schema.ts";
import { LIMITS_MAX } from "../limits.ts";
import type { LimitScopeKind } from "../model/spending/limit.ts";

export type StoredLimit = typeof limitsTable.$inferSelect;

/** `scopeExists`: whether the agent, team, key or tool that the limit names exists. */
export type ListedLimit = StoredLimit & { readonly scopeExists: boolean };

function scopeExistsSql(kind: SQL, id: SQL): SQL<number> {
  return sql<number>`(CASE ${kind}
    WHEN 'agent' THEN EXISTS (SELECT 1 FROM agents WHERE agents.id = ${id})
    WHEN 'team' THEN EXISTS (SELECT 1 FROM teams WHERE teams.id = ${id})
    WHEN 'key' THEN ${id} = ${ROOT_KEY_ID} OR EXISTS (SELECT 1 FROM keys WHERE keys.id = ${id})
    WHEN 'tool' THEN EXISTS (SELECT 1 FROM tools WHERE tools.id = ${id}) ELSE 1 END)`;
}

function selectLimits(db: Database) {
  const scopeExists = scopeExistsSql(sql`limits.scope_kind`, sql`limits.scope_id`);
  return db.select({ ...getTableColumns(limitsTable), scopeExists }).from(limitsTable);
}

type SelectedLimit = Awaited<ReturnType<typeof selectLimits>>[number];

function toListedLimit(row: SelectedLimit): ListedLimit {
  return { ...row, scopeExists: row.scopeExists === 1 };
}

/** One page of limits, ordered by id, and the total number of limits. */
export async function listLimits(
  db: Database,
  page: { readonly limit: number; readonly offset: number },
): Promise<{ limits: ListedLimit[]; total: number }> {
  const [rows, counts] = await db.batch([
    selectLimits(db).orderBy(asc(limitsTable.id)).limit(page.limit).offset(page.offset),
    db.select({ count: sql<number>`count(*)` }).from(limitsTable),
  ]);
  return { limits: rows.map(toListedLimit), total: counts[0]?.count ?? 0 };
}

export async function findLimit(db: Database, id: string): Promise<ListedLimit | null> {
  const row = await selectLimits(db).where(eq(limitsTable.id, id)).get();
  return row === undefined ? null : toListedLimit(row);
}

/** Whether the agent, team, key or tool exists. */
export async function isKnownScope(
  db: Database,
  scopeKind: LimitScopeKind,
  scopeId: string,
): Promise<boolean> {
  const row = await db.get<{ isKnown: number }>(
    sql`SELECT ${scopeExistsSql(sql`${scopeKind}`, sql`${scopeId}`)} AS isKnown`,
  );
  return row.isKnown === 1;
}

/** Creates a limit and returns it. Returns null and writes nothing if the id is taken or there are LIMITS_MAX limits. */
export async function insertLimit(
  db: Database,
  limit: StoredLimit,
  batch: AuditedBatch,
): Promise<ListedLimit | null> {
  const isBelowMax = sql`(SELECT count(*) FROM limits) < ${LIMITS_MAX}`;
  const [inserted, [row]] = await batch([
    buildConditionalInsert(db, limitsTable, limit, isBelowMax)
      .onConflictDoNothing()
      .returning({ id: limitsTable.id }),
    selectLimits(db).where(eq(limitsTable.id, limit.id)),
  ]);
  return inserted.length === 0 || row === undefined ? null : toListedLimit(row);
}

/** The fields of a limit that change; those that are undefined stay the same. */
type LimitChange = {
  readonly [Name in Exclude<keyof StoredLimit, "id" | "createdBy" | "createdAt">]?:
    | StoredLimit[Name]
    | undefined;
};

/** Changes a limit and returns it; null if it does not exist. */
export async function updateLimit(
  db: Database,
  id: string,
  change: LimitChange,
  batch: AuditedBatch,
): Promise<ListedLimit | null> {
  const [, [row]] = await batch([
    db.update(limitsTable).set(change).where(eq(limitsTable.id, id)),
    selectLimits(db).where(eq(limitsTable.id, id)),
  ]);
  return row === undefined ? null : toListedLimit(row);
}

export async function deleteLimit(db: Database, id: string, batch: AuditedBatch): Promise<void> {
  await batch([db.delete(limitsTable).where(eq(limitsTable.id, id))]);
}
