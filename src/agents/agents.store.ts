import type { AuditedBatch } from "../platform/d1/audited-batch.ts";
import { and, asc, eq, isNull, sql, type SQL } from "drizzle-orm";
import {
  buildConditionalInsert,
  type Database,
  jsonList,
  getDatabase,
  listDirectoryDatabases,
  type DirectoryEnv,
} from "../platform/d1/client.ts";
import {
  agentsTable,
  teamsTable,
  deletedAgentsTable,
  failedAttemptsTable,
  grantsTable,
  keysTable,
  membersTable,
} from "../platform/d1/schema.ts";
import type { Agent, ExecutorConfig, ExecutorType } from "./model/agent.ts";
import { TOTAL_COUNTED_MAX, toListTotal } from "../kernel/limits.ts";

type AgentRow = typeof agentsTable.$inferSelect;

function toAgent({ agent: row, teams }: { agent: AgentRow; teams: string }): Agent {
  const { id, name, description, skills, enabled, sealed, maxConcurrentTasks } = row;
  const { requireReview, requireTask, pause, noProgress, createdAt, createdBy } = row;
  const { ratingSum, ratingCount: count } = row;
  return {
    id,
    name,
    description,
    skills,
    teams: JSON.parse(teams),
    enabled,
    executor: readExecutorConfig(row),
    sealed,
    maxConcurrentTasks,
    requireReview,
    requireTask,
    pause,
    noProgress,
    rating: count === 0 ? null : { mean: ratingSum / count, count },
    createdAt,
    createdBy,
  };
}

/** The cast is safe because only `executorColumns` writes these columns. */
export function readExecutorConfig({
  executor,
  executorSettings,
}: Pick<AgentRow, "executor" | "executorSettings">): ExecutorConfig {
  return { type: executor, ...executorSettings } as ExecutorConfig;
}

/** The executor columns of an agent's row. */
function executorColumns(config: ExecutorConfig): Pick<AgentRow, "executor" | "executorSettings"> {
  if (config.type === "builtin" || isPlainWorker(config))
    return { executor: config.type, executorSettings: null };
  const { type: executor, ...executorSettings } = config;
  return { executor, executorSettings };
}

/** Rows of workers without a price have no settings, as in earlier releases. */
function isPlainWorker(config: ExecutorConfig): boolean {
  return config.type === "worker" && config.price === undefined;
}

export interface AgentFilter {
  readonly teamId?: string | undefined;
  readonly executor?: ExecutorType | undefined;
  readonly enabled?: boolean | undefined;
  /** A substring of the id, name or description; case-insensitive. */
  readonly search?: string | undefined;
  /** Only agents with these ids; null for all agents. */
  readonly ids?: readonly string[] | null;
}

/** The fields to change. An executor is replaced entirely so that a secret is never sent to a different origin. */
export type AgentChange = {
  readonly [Field in Exclude<keyof Agent, FixedField | "executor">]?: Agent[Field] | undefined;
} & { readonly executor?: ChangedExecutor | undefined };

type FixedField = "id" | "sealed" | "pause" | "rating" | "createdAt" | "createdBy";
type StoredExecutor = Pick<Agent, "executor" | "sealed">;

interface ChangedExecutor extends StoredExecutor {
  /** The API key that makes the change. */
  readonly by: string;
  /**
   * If this equals the stored executor, `createdBy` stays the same. If it differs or is null, `createdBy` becomes `by`.
   */
  readonly kept: StoredExecutor | null;
}

// Drizzle does not qualify column names in single-table queries, so they are qualified by hand.
const teamIds = sql<string>`(SELECT json_group_array(team_id) FROM (SELECT members.team_id FROM members WHERE members.agent_id = agents.id ORDER BY members.team_id))`;

/** One page of agents, ordered by id, and the total number of matches (counted up to 10,000). */
export async function listAgents(
  db: Database,
  filter: AgentFilter,
  page: { limit: number; offset: number },
): Promise<{ agents: Agent[]; total: number; totalExact: boolean }> {
  const where = matchFilter(filter);
  const [rows, counts] = await db.batch([
    db
      .select({ agent: agentsTable, teams: teamIds })
      .from(agentsTable)
      .where(where)
      .orderBy(asc(agentsTable.id))
      .limit(page.limit)
      .offset(page.offset),
    db.select({ count: sql<number>`count(*)` }).from(
      db
        .select({ id: agentsTable.id })
        .from(agentsTable)
        .where(where)
        .limit(TOTAL_COUNTED_MAX + 1)
        .as("counted"),
    ),
  ]);
  return { agents: rows.map(toAgent), ...toListTotal(counts[0]?.count ?? 0) };
}

/**
 * When keys that are bound to these agents were last used, by agent, in milliseconds since 1970. Precise to
 * KEY_LAST_USED_INTERVAL_MS. Agents without such a use are absent.
 */
export async function findKeyUses(
  db: Database,
  agentIds: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  if (agentIds.length === 0) return new Map();
  const rows = await db.all<{ agentId: string; lastUsedAt: number }>(sql`
    SELECT agent_id AS agentId, max(last_used_at) AS lastUsedAt FROM keys
    WHERE agent_id IN ${jsonList(agentIds)} AND last_used_at IS NOT NULL GROUP BY agent_id`);
  return new Map(rows.map(({ agentId, lastUsedAt }) => [agentId, lastUsedAt]));
}

export async function findAgent(db: Database, id: string): Promise<Agent | null> {
  const row = await selectAgent(db, id).get();
  return row === undefined ? null : toAgent(row);
}

/**
 * Inserts an agent and its team memberships in one transaction; null if the id is taken or belonged to a deleted agent.
 */
export async function insertAgent(
  db: Database,
  agent: Omit<Agent, "rating" | "pause">,
  batch: AuditedBatch,
): Promise<Agent | null> {
  const { id, executor, skills, teams, ...rest } = agent;
  const columns = { id, ...rest, ...executorColumns(executor), skills: [...skills] };
  const isNewId = sql`${id} NOT IN (SELECT id FROM deleted_agents)`;
  try {
    const [, , [row]] = await batch([
      buildConditionalInsert(
        db,
        agentsTable,
        { ...columns, pause: null, resumedAt: null, ratingSum: 0, ratingCount: 0 },
        isNewId,
      ),
      joinTeams(db, id, teams),
      selectAgent(db, id),
    ]);
    return row === undefined ? null : toAgent(row);
  } catch (error) {
    if (isIdTaken(error)) return null;
    throw error;
  }
}

/** Updates only the changed fields, so concurrent changes to other fields are kept; null for an unknown agent. */
export async function updateAgent(
  db: Database,
  id: string,
  { executor, skills, teams, ...rest }: AgentChange,
  batch: AuditedBatch,
): Promise<Agent | null> {
  const values = {
    // An UPDATE must set at least one column.
    id,
    ...rest,
    ...(skills === undefined ? {} : { skills: [...skills] }),
    ...(executor === undefined ? {} : changedExecutorColumns(executor)),
  };
  const [, , , [row]] = await batch([
    db.update(agentsTable).set(values).where(eq(agentsTable.id, id)),
    leaveTeams(db, id, teams),
    joinTeams(db, id, teams ?? []),
    selectAgent(db, id),
  ]);
  return row === undefined ? null : toAgent(row);
}

/**
 * Deletes an agent with its memberships and grants, and revokes its keys. Returns the ids of the revoked keys; null for
 * an unknown agent.
 */
export async function deleteAgent(
  db: Database,
  id: string,
  now: number,
  batch: AuditedBatch,
): Promise<readonly string[] | null> {
  const [, deleted, , , , revoked] = await batch([
    // On a conflict, the row is updated, because a statement that changes nothing is not recorded.
    db
      .insert(deletedAgentsTable)
      .select(sql`SELECT id, ${now} FROM agents WHERE id = ${id}`)
      .onConflictDoUpdate({ target: deletedAgentsTable.id, set: { deletedAt: now } }),
    db.delete(agentsTable).where(eq(agentsTable.id, id)).returning({ id: agentsTable.id }),
    db.delete(membersTable).where(eq(membersTable.agentId, id)),
    db.delete(grantsTable).where(eq(grantsTable.agentId, id)),
    db.delete(failedAttemptsTable).where(eq(failedAttemptsTable.agentId, id)),
    db
      .update(keysTable)
      .set({ revokedAt: now })
      .where(and(eq(keysTable.agentId, id), isNull(keysTable.revokedAt)))
      .returning({ id: keysTable.id }),
  ]);
  return deleted.length === 0 ? null : revoked.map((key) => key.id);
}

function selectAgent(db: Database, id: string) {
  return db
    .select({ agent: agentsTable, teams: teamIds })
    .from(agentsTable)
    .where(eq(agentsTable.id, id));
}

function changedExecutorColumns({ executor, sealed, by, kept }: ChangedExecutor) {
  const createdBy = kept === null ? by : creatorUnlessExecutorChanged(kept, by);
  return { ...executorColumns(executor), sealed, createdBy };
}

/** Checked within the UPDATE because another key may have changed the executor since it was read. */
function creatorUnlessExecutorChanged(kept: StoredExecutor, by: string): SQL<string> {
  const { sealed } = kept;
  const { executor, executorSettings } = executorColumns(kept.executor);
  const json = executorSettings === null ? null : JSON.stringify(executorSettings);
  return sql`CASE WHEN executor = ${executor} AND executor_settings IS ${json}
    AND sealed IS ${sealed} THEN created_by ELSE ${by} END`;
}

/** Removes the agent from all teams except these. If `teams` is undefined, nothing is removed. */
function leaveTeams(db: Database, id: string, teams: readonly string[] | undefined) {
  const others = sql`${membersTable.teamId} NOT IN ${jsonList(teams ?? [])}`;
  const where = and(eq(membersTable.agentId, id), others, teams === undefined ? sql`0` : undefined);
  return db.delete(membersTable).where(where);
}

/** Adds the agent to those of these teams that still exist. Does nothing if the agent no longer exists. */
function joinTeams(db: Database, id: string, teams: readonly string[]) {
  return db
    .insert(membersTable)
    .select(
      sql`SELECT teams.id, agents.id FROM teams, agents WHERE agents.id = ${id} AND teams.id IN ${jsonList(teams)}`,
    )
    .onConflictDoNothing();
}

function matchFilter({
  teamId,
  executor,
  enabled,
  search,
  ids = null,
}: AgentFilter): SQL | undefined {
  return and(
    teamId === undefined
      ? undefined
      : sql`${agentsTable.id} IN (SELECT agent_id FROM members WHERE team_id = ${teamId})`,
    executor === undefined ? undefined : eq(agentsTable.executor, executor),
    enabled === undefined ? undefined : eq(agentsTable.enabled, enabled),
    search === undefined ? undefined : containsText(search),
    ids === null ? undefined : sql`${agentsTable.id} IN ${jsonList(ids)}`,
  );
}

/**
 * SQLite's lower() handles only ASCII, so this also searches for the text in lower case, in upper case and capitalised.
 */
function containsText(search: string): SQL {
  const lower = search.toLowerCase();
  const [first = "", ...others] = Array.from(lower);
  const spellings = [search, lower, search.toUpperCase(), first.toUpperCase() + others.join("")];
  const list = sql`json_each(${JSON.stringify([...new Set(spellings)])})`;
  const columnMatches = [agentsTable.id, agentsTable.name, agentsTable.description].map(
    (column) => sql`instr(lower(${column}), lower(value))`,
  );
  return sql`EXISTS (SELECT 1 FROM ${list} WHERE ${sql.join(columnMatches, sql` OR `)})`;
}

function isIdTaken(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return /UNIQUE constraint failed: agents\.id/.test(error.message) || isIdTaken(error.cause);
}

/** Checks in one query whether an agent and a team exist. */
export async function findAgentAndTeam(
  db: Database,
  { agentId, teamId }: { agentId: string | null; teamId: string | null },
): Promise<{ agent: boolean; team: boolean }> {
  const row = await db.get<{ agent: number; team: number }>(
    sql`SELECT EXISTS(SELECT 1 FROM ${agentsTable} WHERE ${agentsTable.id} = ${agentId}) AS agent,
               EXISTS(SELECT 1 FROM ${teamsTable} WHERE ${teamsTable.id} = ${teamId}) AS team`,
  );
  return { agent: row.agent === 1, team: row.team === 1 };
}

/**
 * Whether an id belonged to a deleted agent or team. Such an id is not reused because keys, tasks, usage and events
 * still refer to it. Earlier releases did not record deleted ids, so tasks and keys are checked too.
 */
export async function isDeletedId(
  env: DirectoryEnv,
  kind: "agent" | "team",
  id: string,
): Promise<boolean> {
  const [first, ...further] = listDirectoryDatabases(env);
  const condition = sql`${sql.raw(`${kind}_id`)} = ${id}`;
  const isStored = sql`EXISTS (SELECT 1 FROM ${sql.raw(`deleted_${kind}s`)} WHERE id = ${id})`;
  const inTasks = sql`EXISTS (SELECT 1 FROM directory WHERE ${condition})`;
  const inKeys = sql`EXISTS (SELECT 1 FROM keys WHERE ${condition} AND revoked_at IS NULL)`;
  const found = await Promise.all([
    getDatabase(first).get<UsedRow>(sql`SELECT ${isStored} OR ${inTasks} OR ${inKeys} AS was_used`),
    ...further.map((shard) => getDatabase(shard).get<UsedRow>(sql`SELECT ${inTasks} AS was_used`)),
  ]);
  return found.some((row) => row.was_used === 1);
}

interface UsedRow {
  readonly was_used: number;
}
