import type { LimitTerms } from "../governance/model/spending/limit.ts";
import { and, desc, eq, sql, type SQL } from "drizzle-orm";
import { type Database, jsonList } from "../platform/d1/client.ts";
import { agentsTable, directoryTable } from "../platform/d1/schema.ts";
import { agentTermsOf, type AgentConfig } from "./model/agent.ts";
import type { AgentLoads, CandidateFilter, CandidateSearch } from "../tasks/model/assignment.ts";
import { CANDIDATES_MAX } from "./limits.ts";
import { coveringLimitsSql } from "../platform/d1/limit-predicates.ts";
import { isKeyValidSql } from "../platform/d1/key-predicates.ts";
import { readExecutorConfig } from "./agents.store.ts";

/** The maximum number of live tasks to count in one database. If there are more, the loads are approximate. */
const LIVE_TASKS_READ_MAX = 500;
const LIVE_TASK_COUNTS = sql`
  SELECT agent_id, count(*) AS load FROM (
    SELECT agent_id FROM directory
    WHERE status IN ('pending', 'assigned', 'in_progress') LIMIT ${LIVE_TASKS_READ_MAX}
  ) GROUP BY agent_id`;

/**
 * Finds enabled candidates with their loads in this database and checks whether the given agent and team exist, in one
 * query.
 */
export async function findCandidates(
  db: Database,
  { agentId, teamId, excludedAgentIds }: CandidateFilter,
): Promise<CandidateSearch> {
  const conditions = [
    sql`a.enabled`,
    // A task for a paused agent waits. Any other task goes to an agent that is not paused.
    agentId === null ? sql`a.pause IS NULL` : sql`a.id = ${agentId}`,
    ...(teamId === null
      ? []
      : [sql`a.id IN (SELECT agent_id FROM members WHERE team_id = ${teamId})`]),
    ...(excludedAgentIds.length === 0 ? [] : [sql`a.id NOT IN ${jsonList(excludedAgentIds)}`]),
  ];
  const row = await db.get<{
    candidates: string;
    agentKnown: number;
    agentEnabled: number;
    teamKnown: number;
  }>(sql`
    WITH live AS (${LIVE_TASK_COUNTS}), fitting AS (
      SELECT a.* FROM agents AS a
      WHERE ${sql.join(conditions, sql` AND `)}
      LIMIT ${CANDIDATES_MAX}
    )
    SELECT
      (SELECT json_group_array(json_object(
        'agentId', f.id,
        'agentName', f.name,
        'skills', json(f.skills),
        'categories', (
          SELECT json_group_array(DISTINCT t.category) FROM grants AS g
          JOIN tools AS t ON t.id = g.tool_id WHERE g.agent_id = f.id
        ),
        'load', coalesce((SELECT load FROM live WHERE live.agent_id = f.id), 0),
        'rating', CASE WHEN f.rating_count > 0 THEN f.rating_sum / f.rating_count END,
        'executor', f.executor,
        'maxConcurrentTasks', f.max_concurrent_tasks
      )) FROM fitting AS f) AS candidates,
      EXISTS(SELECT 1 FROM agents WHERE id = ${agentId}) AS agentKnown,
      EXISTS(SELECT 1 FROM agents WHERE id = ${agentId} AND enabled) AS agentEnabled,
      EXISTS(SELECT 1 FROM teams WHERE id = ${teamId}) AS teamKnown
  `);
  return {
    candidates: JSON.parse(row.candidates),
    agentKnown: row.agentKnown === 1,
    agentEnabled: row.agentEnabled === 1,
    teamKnown: row.teamKnown === 1,
  };
}

/** The creation time of the agent's newest task in this database; null if it has none. */
export async function findNewestTaskTime(db: Database, agentId: string): Promise<number | null> {
  const row = await db
    .select({ createdAt: directoryTable.createdAt })
    .from(directoryTable)
    .where(eq(directoryTable.agentId, agentId))
    .orderBy(desc(directoryTable.createdAt))
    .limit(1)
    .get();
  return row?.createdAt ?? null;
}

/** The number of live tasks per agent in this database. */
export async function readAgentLoads(db: Database): Promise<AgentLoads> {
  const rows = await db.all<{ agent_id: string | null; load: number }>(LIVE_TASK_COUNTS);
  return new Map(rows.flatMap(({ agent_id: id, load }) => (id === null ? [] : [[id, load]])));
}

const CONFIG_COLUMNS = {
  executor: agentsTable.executor,
  executorSettings: agentsTable.executorSettings,
  sealed: agentsTable.sealed,
  maxConcurrentTasks: agentsTable.maxConcurrentTasks,
  requireReview: agentsTable.requireReview,
  enabled: agentsTable.enabled,
  pause: agentsTable.pause,
  noProgress: agentsTable.noProgress,
};

/** An agent's config; null if the agent does not exist or does not meet `condition`. */
export async function findAgentConfig(
  db: Database,
  agentId: string,
  condition?: SQL,
): Promise<AgentConfig | null> {
  const where = and(eq(agentsTable.id, agentId), condition);
  const row = await db.select(CONFIG_COLUMNS).from(agentsTable).where(where).get();
  return row === undefined ? null : toAgentConfig(row);
}

/**
 * Reads an agent's config for a claim and checks the claim's key (null for the root key) in one query. Not cached
 * because a stale result would stay in effect for an entire lease.
 */
export async function findAgentConfigForClaim(
  db: Database,
  agentId: string,
  keyId: string | null,
): Promise<{ config: AgentConfig | null; isKeyValid: boolean }> {
  const isValid =
    keyId === null ? sql<number>`1` : sql<number>`${isKeyValidSql(keyId, Date.now())}`;
  const row = await db
    .select({ agent: CONFIG_COLUMNS, isValid })
    .from(agentsTable)
    .where(eq(agentsTable.id, agentId))
    .get();
  if (row === undefined) return { config: null, isKeyValid: true };
  return { config: toAgentConfig(row.agent), isKeyValid: row.isValid === 1 };
}

/** Reads an agent's config and the spending limits in force that cover its model in one query. */
export async function findAgentConfigForTurn(
  db: Database,
  agentId: string,
): Promise<{ config: AgentConfig; limits: readonly LimitTerms[] } | null> {
  const by = { agentId, toolId: null, keyId: null };
  const limits = coveringLimitsSql({ ...by, measures: ["usd", "tokens"] });
  const row = await db
    .select({ agent: CONFIG_COLUMNS, limits })
    .from(agentsTable)
    .where(eq(agentsTable.id, agentId))
    .get();
  if (row === undefined) return null;
  return { config: toAgentConfig(row.agent), limits: JSON.parse(row.limits) };
}

function toAgentConfig(
  row: Pick<typeof agentsTable.$inferSelect, keyof typeof CONFIG_COLUMNS>,
): AgentConfig {
  const executor = readExecutorConfig(row);
  const { sealed, enabled } = row;
  const terms = agentTermsOf({ ...row, executor });
  return { terms, executor, sealed, enabled, isPaused: row.pause !== null };
}

/** An agent's settings, and whether it is paused. */
export type AssignableTerms = Pick<AgentConfig, "terms" | "isPaused">;

/** The agent's settings at assignment; null if it is disabled or not in the task's team. */
export async function findAssignableTerms(
  db: Database,
  agentId: string,
  teamId: string | null,
): Promise<AssignableTerms | null> {
  const isMember = sql`EXISTS (SELECT 1 FROM members WHERE team_id = ${teamId} AND agent_id = ${agentId})`;
  const config = await findAgentConfig(db, agentId, teamId === null ? undefined : isMember);
  return config?.enabled === true ? config : null;
}
