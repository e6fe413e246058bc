import { and, asc, eq, isNull, sql } from "drizzle-orm";
import type { AuditedBatch } from "../../platform/d1/audited-batch.ts";
import { buildConditionalInsert, type Database, jsonList } from "../../platform/d1/client.ts";
import {
  deletedTeamsTable,
  keysTable,
  membersTable,
  teamsTable,
} from "../../platform/d1/schema.ts";

export interface Team {
  readonly id: string;
  readonly name: string;
  readonly agents: string[];
}

// Drizzle does not qualify column names in single-table queries, so they are qualified by hand.
const agentIds = sql<string>`(SELECT json_group_array(agent_id) FROM (SELECT members.agent_id FROM members WHERE members.team_id = teams.id ORDER BY members.agent_id))`;
const totalAgents = sql<number>`(SELECT count(*) FROM members WHERE members.team_id = teams.id)`;

/** One page of teams, ordered by id, and the total number of teams. */
export async function listTeams(
  db: Database,
  page: { limit: number; offset: number },
): Promise<{ teams: { id: string; name: string; totalAgents: number }[]; total: number }> {
  const [rows, counts] = await db.batch([
    db
      .select({ id: teamsTable.id, name: teamsTable.name, totalAgents })
      .from(teamsTable)
      .orderBy(asc(teamsTable.id))
      .limit(page.limit)
      .offset(page.offset),
    db.select({ count: sql<number>`count(*)` }).from(teamsTable),
  ]);
  return { teams: rows, total: counts[0]?.count ?? 0 };
}

export async function findTeam(db: Database, id: string): Promise<Team | null> {
  const row = await selectTeam(db, id).get();
  return row === undefined ? null : { ...row, agents: JSON.parse(row.agents) };
}

/** The first of these ids for which no team exists; null if all teams exist. */
export async function findUnknownTeam(
  db: Database,
  ids: readonly string[],
): Promise<string | null> {
  const row = await db.get<{ id: string } | undefined>(
    sql`SELECT value AS id FROM json_each(${JSON.stringify(ids)}) WHERE value NOT IN (SELECT id FROM teams) LIMIT 1`,
  );
  return row?.id ?? null;
}

/** Checks in one query whether a team exists, and finds the first of these agents that does not exist. */
export async function checkTeam(
  db: Database,
  id: string,
  agentIdsNamed: readonly string[],
): Promise<{ exists: boolean; unknownAgent: string | null }> {
  const row = await db.get<{ found: number; unknownAgent: string | null }>(sql`
    SELECT EXISTS (SELECT 1 FROM teams WHERE id = ${id}) AS found,
           (SELECT value FROM json_each(${JSON.stringify(agentIdsNamed)})
            WHERE value NOT IN (SELECT id FROM agents) LIMIT 1) AS unknownAgent`);
  return { exists: row.found === 1, unknownAgent: row.unknownAgent };
}

/**
 * Saves a team with exactly these members in one transaction. A null `name` keeps the current name. Returns null if the
 * id belonged to a deleted team.
 */
export async function saveTeam(
  db: Database,
  { id, name, agents: list }: { id: string; name: string | null; agents: readonly string[] },
  batch: AuditedBatch,
): Promise<Team | null> {
  const listed = jsonList(list);
  const isNewId = sql`${id} NOT IN (SELECT id FROM deleted_teams)`;
  const [, , , [row]] = await batch([
    buildConditionalInsert(db, teamsTable, { id, name: name ?? id }, isNewId).onConflictDoUpdate({
      target: teamsTable.id,
      set: { name: name ?? sql`${teamsTable.name}` },
    }),
    db
      .delete(membersTable)
      .where(and(eq(membersTable.teamId, id), sql`${membersTable.agentId} NOT IN ${listed}`)),
    db
      .insert(membersTable)
      .select(
        sql`SELECT teams.id, agents.id FROM teams, agents WHERE teams.id = ${id} AND agents.id IN ${listed}`,
      )
      .onConflictDoNothing(),
    selectTeam(db, id),
  ]);
  return row === undefined ? null : { ...row, agents: JSON.parse(row.agents) };
}

/**
 * Deletes a team with its memberships, and revokes its keys. Returns the ids of the revoked keys; null for an unknown
 * team.
 */
export async function deleteTeam(
  db: Database,
  id: string,
  now: number,
  batch: AuditedBatch,
): Promise<readonly string[] | null> {
  const [, deleted, , revoked] = await batch([
    // On a conflict, the row is updated, because a statement that changes nothing is not recorded.
    db
      .insert(deletedTeamsTable)
      .select(sql`SELECT id, ${now} FROM teams WHERE id = ${id}`)
      .onConflictDoUpdate({ target: deletedTeamsTable.id, set: { deletedAt: now } }),
    db.delete(teamsTable).where(eq(teamsTable.id, id)).returning({ id: teamsTable.id }),
    db.delete(membersTable).where(eq(membersTable.teamId, id)),
    db
      .update(keysTable)
      .set({ revokedAt: now })
      .where(and(eq(keysTable.teamId, id), isNull(keysTable.revokedAt)))
      .returning({ id: keysTable.id }),
  ]);
  return deleted.length === 0 ? null : revoked.map((key) => key.id);
}

function selectTeam(db: Database, id: string) {
  return db
    .select({ id: teamsTable.id, name: teamsTable.name, agents: agentIds })
    .from(teamsTable)
    .where(eq(teamsTable.id, id));
}
