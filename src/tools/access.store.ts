import { and, eq, sql } from "drizzle-orm";
import { checkNewAgentId } from "../agents/read-agent.ts";
import { getDatabase, type Database } from "../platform/d1/client.ts";
import type { DirectoryEnv } from "../platform/d1/shards.ts";
import { agentsTable, capabilitiesTable, grantsTable, toolsTable } from "../platform/d1/schema.ts";
import type { Failure } from "../kernel/failure.ts";
import { fail, ok, type Result } from "../kernel/result.ts";
import type { Category, Proficiency } from "./model/tool.ts";

/** A grant of one tool to one agent. `capabilities` null: all of them. `grantedAt` in milliseconds since 1970. */
export interface Grant {
  readonly agentId: string;
  readonly toolId: string;
  readonly proficiency: Proficiency;
  readonly capabilities: readonly string[] | null;
  readonly grantedAt: number;
}

/** A tool that an agent may use, with exactly the capabilities it may use. */
export interface GrantedTool {
  readonly id: string;
  readonly name: string;
  readonly category: Category;
  readonly proficiency: Proficiency;
  readonly capabilities: readonly string[];
}

export interface AgentAccess {
  readonly agentId: string;
  readonly agentName: string;
  readonly enabled: boolean;
  readonly tools: readonly GrantedTool[];
}

/** The tools that an agent may use; null for an unknown agent. */
export async function findAgentAccess(db: Database, agentId: string): Promise<AgentAccess | null> {
  const [[agent], entries] = await db.batch([
    db.select().from(agentsTable).where(eq(agentsTable.id, agentId)),
    db
      .select({
        id: toolsTable.id,
        name: toolsTable.name,
        category: toolsTable.category,
        proficiency: grantsTable.proficiency,
        capabilities: usableCapabilities,
      })
      .from(grantsTable)
      .innerJoin(toolsTable, eq(toolsTable.id, grantsTable.toolId))
      .where(eq(grantsTable.agentId, agentId))
      .orderBy(toolsTable.seq),
  ]);
  if (agent === undefined) return null;
  return {
    agentId,
    agentName: agent.name,
    enabled: agent.enabled,
    tools: entries.map((entry) => ({ ...entry, capabilities: JSON.parse(entry.capabilities) })),
  };
}

/** Saves a grant, and the agent if it is new; replaces an earlier grant. `usable`: what the agent may now use. */
export async function grantAccess(
  env: DirectoryEnv,
  grant: Grant,
  grantedBy: string,
): Promise<Result<{ usable: readonly string[]; replaced: boolean }, Failure>> {
  const db = getDatabase(env.DB);
  const [[tool], known, [earlier], [agent]] = await db.batch([
    db.select({ id: toolsTable.id }).from(toolsTable).where(eq(toolsTable.id, grant.toolId)),
    db
      .select({ id: capabilitiesTable.id })
      .from(capabilitiesTable)
      .where(eq(capabilitiesTable.toolId, grant.toolId))
      .orderBy(capabilitiesTable.position),
    db
      .select({ agentId: grantsTable.agentId })
      .from(grantsTable)
      .where(matchesGrant(grant.agentId, grant.toolId)),
    db.select({ id: agentsTable.id }).from(agentsTable).where(eq(agentsTable.id, grant.agentId)),
  ]);
  if (tool === undefined) return fail({ kind: "not_found", what: "tool", id: grant.toolId });
  const unknown = grant.capabilities?.find(
    (id) => !known.some((capability) => capability.id === id),
  );
  if (unknown !== undefined) return fail({ kind: "not_found", what: "capability", id: unknown });
  const { agentId } = grant;
  const unused = agent === undefined ? await checkNewAgentId(env, agentId) : ok(null);
  if (!unused.ok) return unused;
  if (!(await saveGrant(env.DB, grant, grantedBy))) {
    return fail({ kind: "agent_exists", agentId, deleted: true });
  }
  const usable = grant.capabilities ?? known.map(({ id }) => id);
  return ok({ usable, replaced: earlier !== undefined });
}

/** Writes the agent and the grant in one transaction; neither, and false, if the agent is deleted concurrently. */
async function saveGrant(binding: D1Database, grant: Grant, grantedBy: string): Promise<boolean> {
  const { agentId, toolId, proficiency, capabilities: allowed, grantedAt } = grant;
  const json = allowed === null ? null : JSON.stringify(allowed);
  const [, granted] = await binding.batch([
    binding.prepare(INSERT_AGENT_SQL).bind(agentId, grantedAt, grantedBy),
    binding.prepare(UPSERT_GRANT_SQL).bind(agentId, toolId, proficiency, json, grantedAt),
  ]);
  return (granted?.meta.changes ?? 0) > 0;
}

/** Plain SQL: in a batch, drizzle does not support an insert that depends on existing rows. */
const INSERT_AGENT_SQL = `INSERT INTO agents (id, name, created_at, created_by) SELECT ?1, ?1, ?2, ?3
  WHERE ?1 NOT IN (SELECT id FROM deleted_agents) ON CONFLICT DO NOTHING`;
const UPSERT_GRANT_SQL = `INSERT INTO grants (agent_id, tool_id, proficiency, capabilities, granted_at)
  SELECT id, ?2, ?3, ?4, ?5 FROM agents WHERE id = ?1
  ON CONFLICT (agent_id, tool_id) DO UPDATE SET proficiency = excluded.proficiency,
    capabilities = excluded.capabilities, granted_at = excluded.granted_at`;

/** Deletes a grant; false if there is none. */
export async function revokeAccess(
  db: Database,
  agentId: string,
  toolId: string,
): Promise<boolean> {
  const gone = await db
    .delete(grantsTable)
    .where(matchesGrant(agentId, toolId))
    .returning({ toolId: grantsTable.toolId });
  return gone.length > 0;
}

function matchesGrant(agentId: string, toolId: string) {
  return and(eq(grantsTable.agentId, agentId), eq(grantsTable.toolId, toolId));
}

const usableCapabilities = sql<string>`(
  SELECT json_group_array(id) FROM (
    SELECT id FROM capabilities
    WHERE tool_id = ${grantsTable.toolId}
      AND (${grantsTable.capabilities} IS NULL OR id IN (SELECT value FROM json_each(${grantsTable.capabilities})))
    ORDER BY position
  )
)`;
