import { and, desc, eq, isNull, sql } from "drizzle-orm";
import type { Database } from "../db/client.ts";
import { agents, keys, teams } from "../db/schema.ts";
import { SCOPES, type Scope } from "../domain/key.ts";

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
}

// Names are written out: drizzle leaves the table off a column where a query reads one table, and
// `team_id = team_id` holds for every member of every team.
const teamAgentIds = sql<string>`(SELECT json_group_array(members.agent_id) FROM members WHERE members.team_id = keys.team_id)`;

export async function findKey(db: Database, id: string): Promise<StoredKey | null> {
  const row = await db.select({ key: keys, teamAgentIds }).from(keys).where(eq(keys.id, id)).get();
  if (row === undefined) return null;
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
): Promise<Omit<StoredKey, "hash" | "teamAgentIds" | "revokedAt">[]> {
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
    })
    .from(keys)
    .where(isNull(keys.revokedAt))
    .orderBy(desc(keys.createdAt), desc(keys.id))
    .limit(page.limit)
    .offset(page.offset);
  return rows.map((row) => ({ ...row, scopes: knownScopes(row.scopes) }));
}

export async function insertKey(
  db: Database,
  key: Omit<StoredKey, "teamAgentIds" | "revokedAt">,
): Promise<void> {
  await db.insert(keys).values({ ...key, scopes: [...key.scopes] });
}

/** Revokes a key; false when there is none to revoke. */
export async function revokeKey(db: Database, id: string, now: number): Promise<boolean> {
  const revoked = await db
    .update(keys)
    .set({ revokedAt: now })
    .where(and(eq(keys.id, id), isNull(keys.revokedAt)))
    .returning({ id: keys.id });
  return revoked.length > 0;
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
