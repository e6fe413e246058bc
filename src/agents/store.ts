import { and, asc, eq, isNull, sql, type SQL } from "drizzle-orm";
import type { Database } from "../db/client.ts";
import { agents, deletedAgents, grants, keys, members } from "../db/schema.ts";
import type { ExecutorType } from "../domain/agent.ts";
import { TOTAL_COUNTED_MAX } from "../domain/limits.ts";
import { agentIn, settingsOf, type Agent } from "./rows.ts";

export interface AgentFilter {
  readonly teamId: string | undefined;
  readonly executor: ExecutorType | undefined;
  readonly enabled: boolean | undefined;
  /** A part of the id, name or description, in whatever case. */
  readonly search: string | undefined;
  /** None but these; null for any. */
  readonly ids?: readonly string[] | null;
}

/** What changes of an agent. Of its executor all does or nothing, so that a key never meets another's origin. */
export interface AgentChange {
  readonly name?: string | undefined;
  readonly description?: string | undefined;
  readonly skills?: readonly string[] | undefined;
  readonly teams?: readonly string[] | undefined;
  readonly enabled?: boolean | undefined;
  readonly executor?: (ExecutorOf & ExecutorOwner) | undefined;
  readonly maxConcurrentTasks?: number | null | undefined;
  readonly requireReview?: boolean | undefined;
  readonly requireTask?: boolean | undefined;
}

type ExecutorOf = Pick<Agent, "executor" | "sealed">;

interface ExecutorOwner {
  /** The key that changes the executor. */
  readonly by: string;
  /** If the agent still has this executor, `createdBy` does not change; otherwise, or if null, it becomes `by`. */
  readonly kept: ExecutorOf | null;
}

// Names are written out: drizzle leaves the table off a column where a query reads one table.
const teamIds = sql<string>`(SELECT json_group_array(team_id) FROM (SELECT members.team_id FROM members WHERE members.agent_id = agents.id ORDER BY members.team_id))`;

/** One page of the registry by id, and how many agents match (counted up to 10,000). */
export async function listAgents(
  db: Database,
  filter: AgentFilter,
  page: { limit: number; offset: number },
): Promise<{ agents: Agent[]; total: number; totalExact: boolean }> {
  const where = matches(filter);
  const [rows, counts] = await db.batch([
    db
      .select({ agent: agents, teams: teamIds })
      .from(agents)
      .where(where)
      .orderBy(asc(agents.id))
      .limit(page.limit)
      .offset(page.offset),
    db.select({ count: sql<number>`count(*)` }).from(
      db
        .select({ id: agents.id })
        .from(agents)
        .where(where)
        .limit(TOTAL_COUNTED_MAX + 1)
        .as("counted"),
    ),
  ]);
  const counted = counts[0]?.count ?? 0;
  return {
    agents: rows.map((row) => agentIn(row.agent, JSON.parse(row.teams))),
    total: Math.min(counted, TOTAL_COUNTED_MAX),
    totalExact: counted <= TOTAL_COUNTED_MAX,
  };
}

export async function findAgent(db: Database, id: string): Promise<Agent | null> {
  const row = await selecting(db, id).get();
  return row === undefined ? null : agentIn(row.agent, JSON.parse(row.teams));
}

/**
 * Adds a new agent to the registry and its teams in one transaction; null if the id is taken or belonged to
 * a deleted agent.
 */
export async function insertAgent(
  db: Database,
  agent: Omit<Agent, "rating">,
): Promise<Agent | null> {
  const { executor, skills, teams, ...rest } = agent;
  const values = { ...rest, executor: executor.type, executorSettings: settingsOf(executor) };
  try {
    const [, , , [row]] = await db.batch([
      db.insert(agents).values({ ...values, skills: [...skills] }),
      // If a concurrent deletion has stored the id, remove the agent again.
      db
        .delete(agents)
        .where(and(eq(agents.id, agent.id), sql`${agents.id} IN (SELECT id FROM deleted_agents)`)),
      joining(db, agent.id, teams),
      selecting(db, agent.id),
    ]);
    return row === undefined ? null : agentIn(row.agent, JSON.parse(row.teams));
  } catch (error) {
    if (isTaken(error)) return null;
    throw error;
  }
}

/** Sets what a change names and nothing else, so that of two at once both count; null for an unknown agent. */
export async function updateAgent(
  db: Database,
  id: string,
  { executor, skills, teams, ...rest }: AgentChange,
): Promise<Agent | null> {
  const values = {
    // An UPDATE must set something, also where the teams alone change.
    id,
    ...rest,
    ...(skills === undefined ? {} : { skills: [...skills] }),
    ...(executor === undefined ? {} : executorColumns(executor)),
  };
  const [, , , [row]] = await db.batch([
    db.update(agents).set(values).where(eq(agents.id, id)),
    leaving(db, id, teams),
    joining(db, id, teams ?? []),
    selecting(db, id),
  ]);
  return row === undefined ? null : agentIn(row.agent, JSON.parse(row.teams));
}

/**
 * Takes an agent out of the registry with its memberships and grants, and revokes its keys, whose ids
 * it gives; null when there is no such agent. The id is stored so that it is not reused.
 */
export async function deleteAgent(
  db: Database,
  id: string,
  now: number,
): Promise<readonly string[] | null> {
  const [, deleted, , , revoked] = await db.batch([
    db
      .insert(deletedAgents)
      .select(sql`SELECT id, ${now} FROM agents WHERE id = ${id}`)
      .onConflictDoNothing(),
    db.delete(agents).where(eq(agents.id, id)).returning({ id: agents.id }),
    db.delete(members).where(eq(members.agentId, id)),
    db.delete(grants).where(eq(grants.agentId, id)),
    db
      .update(keys)
      .set({ revokedAt: now })
      .where(and(eq(keys.agentId, id), isNull(keys.revokedAt)))
      .returning({ id: keys.id }),
  ]);
  return deleted.length === 0 ? null : revoked.map((key) => key.id);
}

function selecting(db: Database, id: string) {
  return db.select({ agent: agents, teams: teamIds }).from(agents).where(eq(agents.id, id));
}

function executorColumns({ executor, sealed, by, kept }: ExecutorOf & ExecutorOwner) {
  const columns = { executor: executor.type, executorSettings: settingsOf(executor), sealed };
  return { ...columns, createdBy: kept === null ? by : creatorUnlessOvertaken(kept, by) };
}

/** Checked in the UPDATE, because another key may have changed the executor since it was read. */
function creatorUnlessOvertaken({ executor, sealed }: ExecutorOf, by: string): SQL<string> {
  const settings = settingsOf(executor);
  const json = settings === null ? null : JSON.stringify(settings);
  return sql`CASE WHEN executor = ${executor.type} AND executor_settings IS ${json}
    AND sealed IS ${sealed} THEN created_by ELSE ${by} END`;
}

/** Leaves all teams but these; without a list none. */
function leaving(db: Database, id: string, teams: readonly string[] | undefined) {
  const others = sql`${members.teamId} NOT IN ${listed(teams ?? [])}`;
  const where = and(eq(members.agentId, id), others, teams === undefined ? sql`0` : undefined);
  return db.delete(members).where(where);
}

/** Joins teams; one that is gone, or an agent that is, gets no member. */
function joining(db: Database, id: string, teams: readonly string[]) {
  return db
    .insert(members)
    .select(
      sql`SELECT teams.id, agents.id FROM teams, agents WHERE agents.id = ${id} AND teams.id IN ${listed(teams)}`,
    )
    .onConflictDoNothing();
}

function matches({ teamId, executor, enabled, search, ids = null }: AgentFilter): SQL | undefined {
  return and(
    teamId === undefined
      ? undefined
      : sql`${agents.id} IN (SELECT agent_id FROM members WHERE team_id = ${teamId})`,
    executor === undefined ? undefined : eq(agents.executor, executor),
    enabled === undefined ? undefined : eq(agents.enabled, enabled),
    search === undefined ? undefined : holds(search),
    ids === null ? undefined : sql`${agents.id} IN ${listed(ids)}`,
  );
}

/** SQLite's lower() knows only ASCII; other letters are looked for in the ways that people write them. */
function holds(search: string): SQL {
  const lower = search.toLowerCase();
  const [first = "", ...others] = Array.from(lower);
  const spellings = [search, lower, search.toUpperCase(), first.toUpperCase() + others.join("")];
  const list = sql`json_each(${JSON.stringify([...new Set(spellings)])})`;
  const held = [agents.id, agents.name, agents.description].map(
    (column) => sql`instr(lower(${column}), lower(value))`,
  );
  return sql`EXISTS (SELECT 1 FROM ${list} WHERE ${sql.join(held, sql` OR `)})`;
}

/** A list of any length as one bound parameter. */
function listed(values: readonly string[]): SQL {
  return sql`(SELECT value FROM json_each(${JSON.stringify(values)}))`;
}

function isTaken(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return /UNIQUE constraint failed: agents\.id/.test(error.message) || isTaken(error.cause);
}
