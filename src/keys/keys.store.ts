import { hasCreatorEndedSql, isKeyValidSql, keyFamilySql } from "../platform/d1/key-predicates.ts";
import {
  and,
  asc,
  desc,
  eq,
  getTableColumns,
  gt,
  isNull,
  ne,
  or,
  sql,
  type SQL,
} from "drizzle-orm";
import type { AuditedBatch } from "../platform/d1/audited-batch.ts";
import { buildConditionalInsert, type Database } from "../platform/d1/client.ts";
import {
  agentsTable,
  keyUsageTable,
  keysTable,
  toolsTable,
  webhooksTable,
} from "../platform/d1/schema.ts";
import type { KeyLimitOverrides, KeyUsage } from "./model/key-limits.ts";
import { ROOT_KEY_ID, SCOPES, type KeyRelation, type Scope } from "./model/key.ts";
import { KEY_RESOURCES_MAX, KEY_LAST_USED_INTERVAL_MS } from "./limits.ts";

/** A stored key, with the agents of its team. Times are in milliseconds since 1970. */
export interface StoredKey extends Readonly<Omit<typeof keysTable.$inferSelect, "scopes">> {
  readonly scopes: readonly Scope[];
  readonly teamAgentIds: readonly string[];
}

export type ListedKey = Omit<StoredKey, "hash" | "teamAgentIds" | "revokedAt">;

/** Resources created by a key and its descendants. Each list has at most KEY_RESOURCES_MAX entries. */
export interface CreatedResources {
  /** Keys that were valid before the revocation. */
  readonly keys: CreatedResource[];
  readonly webhooks: (CreatedResource & { readonly enabled: boolean })[];
  readonly agents: (CreatedResource & { readonly enabled: boolean })[];
  readonly tools: CreatedResource[];
  /** Whether there are more resources than are listed. */
  readonly more: boolean;
}

interface CreatedResource {
  readonly id: string;
  readonly name: string;
  readonly createdBy: string;
}

// Drizzle does not qualify columns in a single-table query, and `team_id = team_id` would match the members of every
// team, so the qualified names are written out.
const teamAgentIds = sql<string>`(SELECT json_group_array(members.agent_id) FROM members WHERE members.team_id = keys.team_id)`;

export async function findKey(db: Database, id: string): Promise<StoredKey | null> {
  const row = await db
    .select({ key: keysTable, teamAgentIds })
    .from(keysTable)
    .where(eq(keysTable.id, id))
    .get();
  return row === undefined ? null : toStoredKey(row);
}

/** A key, and whether the key `by` or one of its descendants created it. */
export async function findManagedKey(
  db: Database,
  id: string,
  by: string,
): Promise<(StoredKey & KeyRelation) | null> {
  const isDescendant = sql<number>`${by} IN ${creatorsSql(id)}`;
  const row = await db
    .select({ key: keysTable, teamAgentIds, isDescendant })
    .from(keysTable)
    .where(eq(keysTable.id, id))
    .get();
  return row === undefined ? null : { ...toStoredKey(row), isDescendant: row.isDescendant === 1 };
}

function toStoredKey(row: {
  readonly key: typeof keysTable.$inferSelect;
  readonly teamAgentIds: string;
}): StoredKey {
  return {
    ...row.key,
    scopes: filterKnownScopes(row.key.scopes),
    teamAgentIds: JSON.parse(row.teamAgentIds),
  };
}

const { hash: _hash, revokedAt: _revokedAt, ...LISTED_COLUMNS } = getTableColumns(keysTable);

/** Keys that are not revoked, newest first, without their hashes. */
export async function listKeys(
  db: Database,
  page: { limit: number; offset: number },
): Promise<ListedKey[]> {
  const rows = await db
    .select(LISTED_COLUMNS)
    .from(keysTable)
    .where(isNull(keysTable.revokedAt))
    .orderBy(desc(keysTable.createdAt), desc(keysTable.id))
    .limit(page.limit)
    .offset(page.offset);
  return rows.map((row) => ({ ...row, scopes: filterKnownScopes(row.scopes) }));
}

/** Inserts a key in one statement. Returns false if its agent or team does not exist or the creating key has ended. */
export async function insertKey(
  db: Database,
  key: Omit<ListedKey, "lastUsedAt"> & { readonly hash: string; readonly createdBy: string },
  batch: AuditedBatch,
): Promise<boolean> {
  const { agentId, teamId, createdAt, createdBy } = key;
  const row = { ...key, scopes: [...key.scopes], lastUsedAt: null, revokedAt: null };
  const isAllowed = sql`(${agentId} IS NULL OR EXISTS (SELECT 1 FROM agents WHERE agents.id = ${agentId}))
      AND (${teamId} IS NULL OR EXISTS (SELECT 1 FROM teams WHERE teams.id = ${teamId}))
      AND (${createdBy} = ${ROOT_KEY_ID} OR ${isKeyValidSql(createdBy, createdAt)})`;
  const [inserted] = await batch([
    buildConditionalInsert(db, keysTable, row, isAllowed).returning({ id: keysTable.id }),
  ]);
  return inserted.length > 0;
}

/** Records a key's use, unless another isolate has recorded a use within the interval. */
export async function saveLastUse(db: Database, id: string, now: number): Promise<void> {
  const isOld = sql`${keysTable.lastUsedAt} <= ${now - KEY_LAST_USED_INTERVAL_MS}`;
  await db
    .update(keysTable)
    .set({ lastUsedAt: now })
    .where(and(eq(keysTable.id, id), or(isNull(keysTable.lastUsedAt), isOld)));
}

/** The ids of the keys that a revocation revokes. */
export async function listRevocableKeys(
  db: Database,
  id: string,
  cascade: boolean,
): Promise<string[]> {
  const rows = await db
    .select({ id: keysTable.id })
    .from(keysTable)
    .where(isRevocable(id, cascade))
    .orderBy(asc(keysTable.createdAt), asc(keysTable.id));
  return rows.map((key) => key.id);
}

function isRevocable(id: string, cascade: boolean): SQL | undefined {
  const isIncluded = cascade ? sql`${keysTable.id} IN ${keyFamilySql(id)}` : eq(keysTable.id, id);
  return and(isNull(keysTable.revokedAt), isIncluded);
}

/**
 * Revokes a key, and with `cascade` all keys that it created, directly or indirectly, in one transaction. `revoked`
 * contains the ids of the keys that were not already revoked.
 */
export async function revokeKeyRows(
  db: Database,
  id: string,
  { cascade, now }: { cascade: boolean; now: number },
  batch: AuditedBatch,
): Promise<{ revoked: readonly string[]; created: CreatedResources }> {
  const inFamily = (column: SQL | typeof keysTable.id): SQL =>
    sql`${column} IN ${keyFamilySql(id)}`;
  // The column of whichever table the query selects from. Every selected row has a creator.
  const createdBy = sql<string>`created_by`;
  const statements = [
    // Read the keys before they are revoked.
    db
      .select({ id: keysTable.id, name: keysTable.name, createdBy })
      .from(keysTable)
      .where(
        and(
          ne(keysTable.id, id),
          inFamily(keysTable.id),
          isNull(keysTable.revokedAt),
          or(isNull(keysTable.expiresAt), gt(keysTable.expiresAt, now)),
        ),
      )
      .orderBy(asc(keysTable.createdAt), asc(keysTable.id))
      .limit(KEY_RESOURCES_MAX + 1),
    db
      .update(keysTable)
      .set({ revokedAt: now })
      .where(isRevocable(id, cascade))
      .returning({ id: keysTable.id }),
    db
      .select({
        id: webhooksTable.id,
        name: webhooksTable.description,
        createdBy,
        enabled: sql<number>`${webhooksTable.enabled} AND NOT ${hasCreatorEndedSql(now)}`,
      })
      .from(webhooksTable)
      .where(and(isNull(webhooksTable.taskId), inFamily(createdBy)))
      .orderBy(asc(webhooksTable.createdAt), asc(webhooksTable.id))
      .limit(KEY_RESOURCES_MAX + 1),
    db
      .select({
        id: agentsTable.id,
        name: agentsTable.name,
        createdBy,
        enabled: agentsTable.enabled,
      })
      .from(agentsTable)
      .where(inFamily(createdBy))
      // Enabled agents come first, so repeated requests reach all of them.
      .orderBy(desc(agentsTable.enabled), asc(agentsTable.id))
      .limit(KEY_RESOURCES_MAX + 1),
    db
      .select({ id: toolsTable.id, name: toolsTable.name, createdBy })
      .from(toolsTable)
      .where(inFamily(createdBy))
      .orderBy(asc(toolsTable.seq))
      .limit(KEY_RESOURCES_MAX + 1),
  ] as const;
  const [keyRows, revoked, webhookRows, agentRows, toolRows] = await batch(statements, 1);
  const cut = <Row>(rows: readonly Row[]): Row[] => rows.slice(0, KEY_RESOURCES_MAX);
  return {
    revoked: revoked.map((key) => key.id),
    created: {
      keys: cut(keyRows),
      webhooks: cut(webhookRows).map((row) => ({ ...row, enabled: row.enabled === 1 })),
      agents: cut(agentRows),
      tools: cut(toolRows),
      more: [keyRows, webhookRows, agentRows, toolRows].some(
        ({ length }) => length > KEY_RESOURCES_MAX,
      ),
    },
  };
}

/** The ids of the given keys that are not valid: revoked, expired or unknown. */
export async function selectEndedKeys(
  db: Database,
  ids: readonly string[],
  now: number,
): Promise<string[]> {
  const rows = await db.all<{ id: string }>(sql`
    SELECT value AS id FROM json_each(${JSON.stringify(ids)})
    WHERE NOT ${isKeyValidSql(sql`value`, now)}`);
  return rows.map(({ id }) => id);
}

/** The ids of a key's creator, that key's creator, and so on. */
function creatorsSql(id: string): SQL {
  return sql`(WITH RECURSIVE creators(id) AS (
    SELECT first.created_by FROM keys AS first WHERE first.id = ${id}
    UNION SELECT next.created_by FROM keys AS next JOIN creators ON next.id = creators.id
  ) SELECT creators.id FROM creators WHERE creators.id IS NOT NULL)`;
}

/** Sets a key's limits. Returns false if the key is revoked or its limits have changed since they were read. */
export async function saveKeyLimits(
  db: Database,
  id: string,
  { before, after }: { before: KeyLimitOverrides | null; after: KeyLimitOverrides | null },
  batch: AuditedBatch,
): Promise<boolean> {
  const unchanged =
    before === null
      ? isNull(keysTable.limits)
      : eq(keysTable.limits, sql`${JSON.stringify(before)}`);
  const [written] = await batch([
    db
      .update(keysTable)
      .set({ limits: after })
      .where(and(eq(keysTable.id, id), isNull(keysTable.revokedAt), unchanged))
      .returning({ id: keysTable.id }),
  ]);
  return written.length > 0;
}

/** The usage of a key's tasks in one shard of the directory. */
export async function findKeyUsage(db: Database, keyId: string): Promise<KeyUsage> {
  const { liveTasks, storedBytes } = keyUsageTable;
  const usage = db.select({ liveTasks, storedBytes }).from(keyUsageTable);
  return (
    (await usage.where(eq(keyUsageTable.keyId, keyId)).get()) ?? { liveTasks: 0, storedBytes: 0 }
  );
}

/** Drops scopes that this release does not define, which a later release may have stored before a rollback. */
function filterKnownScopes(stored: readonly string[]): Scope[] {
  return SCOPES.filter((scope) => stored.includes(scope));
}
