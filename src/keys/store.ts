import { and, asc, desc, eq, gt, isNull, ne, or, sql, type SQL } from "drizzle-orm";
import type { Database } from "../db/client.ts";
import { agents, keyUsage, keys, teams, tools, webhooks } from "../db/schema.ts";
import type { KeyUsage } from "../domain/key-usage.ts";
import type { KeyLimitOverrides } from "../domain/key-limits.ts";
import { ROOT_KEY_ID, SCOPES, type KeyRelation, type Scope } from "../domain/key.ts";
import { creatorEnded } from "../webhooks/store.ts";
import { KEY_RESOURCES_MAX, KEY_USE_INTERVAL_MS } from "../domain/limits.ts";

/** A key as it is stored, with the agents of its team. Instants in milliseconds since 1970. */
export interface StoredKey {
  readonly id: string;
  readonly name: string;
  readonly hash: string;
  readonly scopes: readonly Scope[];
  readonly agentId: string | null;
  readonly teamId: string | null;
  readonly teamAgentIds: readonly string[];
  readonly createdAt: number;
  readonly expiresAt: number | null;
  readonly revokedAt: number | null;
  readonly requireTask: boolean;
  /** The key that created it; null for keys from earlier releases. */
  readonly createdBy: string | null;
  readonly lastUsedAt: number | null;
  /** Limits that differ from the defaults; null if none do. */
  readonly limits: KeyLimitOverrides | null;
}

/** A key as shown in lists. */
export type ListedKey = Omit<StoredKey, "hash" | "teamAgentIds" | "revokedAt">;

/** Resources created by a key and by keys that it created. Each list has at most KEY_RESOURCES_MAX entries. */
export interface Creations {
  /** Keys that were valid before the revocation. */
  readonly keys: readonly CreatedResource[];
  readonly webhooks: readonly (CreatedResource & { readonly enabled: boolean })[];
  readonly agents: readonly (CreatedResource & { readonly enabled: boolean })[];
  readonly tools: readonly CreatedResource[];
  /** Whether there are more resources. */
  readonly more: boolean;
}

interface CreatedResource {
  readonly id: string;
  readonly name: string;
  readonly createdBy: string | null;
}

// Names are written out: drizzle leaves the table off a column where a query reads one table, and
// `team_id = team_id` holds for every member of every team.
const teamAgentIds = sql<string>`(SELECT json_group_array(members.agent_id) FROM members WHERE members.team_id = keys.team_id)`;

export async function findKey(db: Database, id: string): Promise<StoredKey | null> {
  const row = await db.select({ key: keys, teamAgentIds }).from(keys).where(eq(keys.id, id)).get();
  return row === undefined ? null : storedKey(row);
}

/** A key, and whether the key `by` or one of its descendants created it (not computed for the root key). */
export async function findManagedKey(
  db: Database,
  id: string,
  by: string,
): Promise<(StoredKey & KeyRelation) | null> {
  const isDescendant =
    by === ROOT_KEY_ID ? sql<number>`0` : sql<number>`${by} IN ${creatorsOf(id)}`;
  const row = await db
    .select({ key: keys, teamAgentIds, isDescendant })
    .from(keys)
    .where(eq(keys.id, id))
    .get();
  return row === undefined ? null : { ...storedKey(row), isDescendant: row.isDescendant === 1 };
}

function storedKey(row: {
  readonly key: typeof keys.$inferSelect;
  readonly teamAgentIds: string;
}): StoredKey {
  return {
    ...row.key,
    scopes: knownScopes(row.key.scopes),
    teamAgentIds: JSON.parse(row.teamAgentIds),
  };
}

/** Keys that are not revoked, newest first, without what could open a door. */
export async function listKeys(
  db: Database,
  page: { limit: number; offset: number },
): Promise<ListedKey[]> {
  const rows = await db
    .select({
      id: keys.id,
      name: keys.name,
      scopes: keys.scopes,
      agentId: keys.agentId,
      teamId: keys.teamId,
      createdAt: keys.createdAt,
      expiresAt: keys.expiresAt,
      requireTask: keys.requireTask,
      createdBy: keys.createdBy,
      lastUsedAt: keys.lastUsedAt,
      limits: keys.limits,
    })
    .from(keys)
    .where(isNull(keys.revokedAt))
    .orderBy(desc(keys.createdAt), desc(keys.id))
    .limit(page.limit)
    .offset(page.offset);
  return rows.map((row) => ({ ...row, scopes: knownScopes(row.scopes) }));
}

/**
 * Inserts a new key; false if its agent or team does not exist or the creating key has ended. One statement,
 * so that no deletion or revocation can happen in between.
 */
export async function insertKey(
  db: Database,
  key: Omit<ListedKey, "lastUsedAt"> & { readonly hash: string; readonly createdBy: string },
): Promise<boolean> {
  const { id, name, hash, agentId, teamId, createdAt, expiresAt, createdBy } = key;
  const limits = key.limits === null ? null : JSON.stringify(key.limits);
  const { meta } = await db.run(sql`INSERT INTO "keys" (
      id, name, hash, scopes, agent_id, team_id, created_at, expires_at, created_by,
      require_task, limits)
    SELECT ${id}, ${name}, ${hash}, ${JSON.stringify(key.scopes)}, ${agentId}, ${teamId},
      ${createdAt}, ${expiresAt}, ${createdBy}, ${key.requireTask ? 1 : 0},
      ${limits}
    WHERE (${agentId} IS NULL OR EXISTS (SELECT 1 FROM agents WHERE agents.id = ${agentId}))
      AND (${teamId} IS NULL OR EXISTS (SELECT 1 FROM teams WHERE teams.id = ${teamId}))
      AND (${createdBy} = ${ROOT_KEY_ID} OR ${isKeyValid(createdBy, createdAt)})`);
  return meta.changes > 0;
}

/** Records a use, unless another isolate has recorded one within the interval. */
export async function writeLastUse(db: Database, id: string, now: number): Promise<void> {
  const isOld = sql`${keys.lastUsedAt} <= ${now - KEY_USE_INTERVAL_MS}`;
  await db
    .update(keys)
    .set({ lastUsedAt: now })
    .where(and(eq(keys.id, id), or(isNull(keys.lastUsedAt), isOld)));
}

/**
 * Revokes a key, and with `cascade` all keys created by it directly or indirectly, in one transaction.
 * `revoked` contains the ids of keys that were not revoked before.
 */
export async function revokeKeys(
  db: Database,
  id: string,
  { cascade, now }: { cascade: boolean; now: number },
): Promise<{ revoked: readonly string[]; created: Creations }> {
  const inFamily = (column: SQL | typeof keys.id): SQL => sql`${column} IN ${familyOf(id)}`;
  const [keyRows, revoked, webhookRows, agentRows, toolRows] = await db.batch([
    // Read the keys before they are revoked.
    db
      .select({ id: keys.id, name: keys.name, createdBy: keys.createdBy })
      .from(keys)
      .where(
        and(
          ne(keys.id, id),
          inFamily(keys.id),
          isNull(keys.revokedAt),
          or(isNull(keys.expiresAt), gt(keys.expiresAt, now)),
        ),
      )
      .orderBy(asc(keys.createdAt), asc(keys.id))
      .limit(KEY_RESOURCES_MAX + 1),
    db
      .update(keys)
      .set({ revokedAt: now })
      .where(and(isNull(keys.revokedAt), cascade ? inFamily(keys.id) : eq(keys.id, id)))
      .returning({ id: keys.id }),
    db
      .select({
        id: webhooks.id,
        name: webhooks.description,
        createdBy: webhooks.createdBy,
        enabled: sql<number>`${webhooks.enabled} AND NOT ${creatorEnded(now)}`,
      })
      .from(webhooks)
      .where(and(isNull(webhooks.taskId), inFamily(sql`${webhooks.createdBy}`)))
      .orderBy(asc(webhooks.createdAt), asc(webhooks.id))
      .limit(KEY_RESOURCES_MAX + 1),
    db
      .select({
        id: agents.id,
        name: agents.name,
        createdBy: agents.createdBy,
        enabled: agents.enabled,
      })
      .from(agents)
      .where(inFamily(sql`${agents.createdBy}`))
      // Enabled agents come first, so that repeating the request reaches all of them.
      .orderBy(desc(agents.enabled), asc(agents.id))
      .limit(KEY_RESOURCES_MAX + 1),
    db
      .select({ id: tools.id, name: tools.name, createdBy: tools.createdBy })
      .from(tools)
      .where(inFamily(sql`${tools.createdBy}`))
      .orderBy(asc(tools.seq))
      .limit(KEY_RESOURCES_MAX + 1),
  ]);
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

/**
 * Whether a stored key is valid now: not revoked and not expired. False for unknown keys and for the root key,
 * which is not stored.
 */
export function isKeyValid(id: string | SQL, now: number): SQL {
  return sql`EXISTS (SELECT 1 FROM keys AS checked WHERE checked.id = ${id}
    AND checked.revoked_at IS NULL AND (checked.expires_at IS NULL OR checked.expires_at > ${now}))`;
}

/** Which of these keys are no longer valid: revoked, expired, or in no table. */
export async function endedKeys(
  db: Database,
  ids: readonly string[],
  now: number,
): Promise<string[]> {
  const rows = await db.all<{ id: string }>(sql`
    SELECT value AS id FROM json_each(${JSON.stringify(ids)})
    WHERE NOT ${isKeyValid(sql`value`, now)}`);
  return rows.map(({ id }) => id);
}

/** The ids of a key and all keys created by it directly or indirectly, including revoked keys. */
function familyOf(id: string): SQL {
  return sql`(WITH RECURSIVE family(id) AS (
    SELECT ${id} UNION SELECT child.id FROM keys AS child JOIN family ON child.created_by = family.id
  ) SELECT id FROM family)`;
}

/** The ids of a key's creator, of the creator's creator, and so on. */
function creatorsOf(id: string): SQL {
  return sql`(WITH RECURSIVE creators(id) AS (
    SELECT first.created_by FROM keys AS first WHERE first.id = ${id}
    UNION SELECT next.created_by FROM keys AS next JOIN creators ON next.id = creators.id
  ) SELECT creators.id FROM creators WHERE creators.id IS NOT NULL)`;
}

/** Sets the limits of a key that is not revoked; false if they have changed since they were read. */
export async function writeKeyLimits(
  db: Database,
  id: string,
  { before, after }: { before: KeyLimitOverrides | null; after: KeyLimitOverrides | null },
): Promise<boolean> {
  const unchanged =
    before === null ? isNull(keys.limits) : eq(keys.limits, sql`${JSON.stringify(before)}`);
  const written = await db
    .update(keys)
    .set({ limits: after })
    .where(and(eq(keys.id, id), isNull(keys.revokedAt), unchanged))
    .returning({ id: keys.id });
  return written.length > 0;
}

/** The usage of a key's tasks in one shard of the directory. */
export async function findUsage(db: Database, keyId: string): Promise<KeyUsage> {
  const { liveTasks, storedBytes } = keyUsage;
  const usage = db.select({ liveTasks, storedBytes }).from(keyUsage);
  return (await usage.where(eq(keyUsage.keyId, keyId)).get()) ?? { liveTasks: 0, storedBytes: 0 };
}

/** Whether the agent and the team that a new key names are known; one query for both. */
export async function knownBinding(
  db: Database,
  { agentId, teamId }: { agentId: string | null; teamId: string | null },
): Promise<{ agent: boolean; team: boolean }> {
  const row = await db.get<{ agent: number; team: number }>(
    sql`SELECT EXISTS(SELECT 1 FROM ${agents} WHERE ${agents.id} = ${agentId}) AS agent,
               EXISTS(SELECT 1 FROM ${teams} WHERE ${teams.id} = ${teamId}) AS team`,
  );
  return { agent: row.agent === 1, team: row.team === 1 };
}

/** Scopes that this release knows; a later release's are ignored after a rollback. */
function knownScopes(stored: readonly string[]): Scope[] {
  return SCOPES.filter((scope) => stored.includes(scope));
}
