import { and, eq, sql } from "drizzle-orm";
import { wasAgent } from "../agents/reuse.ts";
import { database, type Database } from "../db/client.ts";
import type { ShardsEnv } from "../db/shards.ts";
import { agents, capabilities, grants, tools } from "../db/schema.ts";
import type { Failure } from "../domain/failure.ts";
import { fail, ok, type Result } from "../domain/result.ts";
import type { Category, Proficiency } from "../domain/tool.ts";

/** One agent may use one tool. `capabilities` null: all of them. `grantedAt` in milliseconds since 1970. */
export interface Grant {
  readonly agentId: string;
  readonly toolId: string;
  readonly proficiency: Proficiency;
  readonly capabilities: readonly string[] | null;
  readonly grantedAt: number;
}

/** A tool that an agent may use, with exactly the capabilities it may use. */
export interface AccessEntry {
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
  readonly tools: readonly AccessEntry[];
}

/** What an agent may use, or null for an agent that the registry does not know. */
export async function accessOf(db: Database, agentId: string): Promise<AgentAccess | null> {
  const [[agent], entries] = await db.batch([
    db.select().from(agents).where(eq(agents.id, agentId)),
    db
      .select({
        id: tools.id,
        name: tools.name,
        category: tools.category,
        proficiency: grants.proficiency,
        capabilities: usableCapabilities,
      })
      .from(grants)
      .innerJoin(tools, eq(tools.id, grants.toolId))
      .where(eq(grants.agentId, agentId))
      .orderBy(tools.seq),
  ]);
  if (agent === undefined) return null;
  return {
    agentId,
    agentName: agent.name,
    enabled: agent.enabled,
    tools: entries.map((entry) => ({ ...entry, capabilities: JSON.parse(entry.capabilities) })),
  };
}

/**
 * Records a grant, replacing an earlier one; an agent named for the first time enters the registry.
 * `usable` are the capabilities that the agent may now use.
 */
export async function grantAccess(
  env: ShardsEnv,
  grant: Grant,
  grantedBy: string,
): Promise<Result<{ usable: readonly string[]; replaced: boolean }, Failure>> {
  const db = database(env.DB);
  const [[tool], known, [earlier], [agent]] = await db.batch([
    db.select({ id: tools.id }).from(tools).where(eq(tools.id, grant.toolId)),
    db
      .select({ id: capabilities.id })
      .from(capabilities)
      .where(eq(capabilities.toolId, grant.toolId))
      .orderBy(capabilities.position),
    db.select({ agentId: grants.agentId }).from(grants).where(isGrant(grant.agentId, grant.toolId)),
    db.select({ id: agents.id }).from(agents).where(eq(agents.id, grant.agentId)),
  ]);
  if (tool === undefined) return fail({ kind: "not_found", what: "tool", id: grant.toolId });
  const unknown = grant.capabilities?.find(
    (id) => !known.some((capability) => capability.id === id),
  );
  if (unknown !== undefined) return fail({ kind: "not_found", what: "capability", id: unknown });
  const { agentId } = grant;
  const deleted = fail<Failure>({ kind: "agent_exists", agentId, deleted: true });
  if (agent === undefined && (await wasAgent(env, agentId))) return deleted;
  if (!(await writeGrant(env.DB, grant, grantedBy))) return deleted;
  const usable = grant.capabilities ?? known.map(({ id }) => id);
  return ok({ usable, replaced: earlier !== undefined });
}

/**
 * Writes a grant, and the agent if it is new, in one transaction. If the agent is deleted concurrently,
 * writes neither and returns false.
 */
async function writeGrant(binding: D1Database, grant: Grant, grantedBy: string): Promise<boolean> {
  const { agentId, toolId, proficiency, capabilities: allowed, grantedAt } = grant;
  const json = allowed === null ? null : JSON.stringify(allowed);
  const [, granted] = await binding.batch([
    binding.prepare(REGISTER).bind(agentId, grantedAt, grantedBy),
    binding.prepare(GRANT).bind(agentId, toolId, proficiency, json, grantedAt),
  ]);
  return (granted?.meta.changes ?? 0) > 0;
}

/** Plain SQL: in a batch, drizzle does not support an insert that depends on existing rows. */
const REGISTER = `INSERT INTO agents (id, name, created_at, created_by) SELECT ?1, ?1, ?2, ?3
  WHERE ?1 NOT IN (SELECT id FROM deleted_agents) ON CONFLICT DO NOTHING`;
const GRANT = `INSERT INTO grants (agent_id, tool_id, proficiency, capabilities, granted_at)
  SELECT id, ?2, ?3, ?4, ?5 FROM agents WHERE id = ?1
  ON CONFLICT (agent_id, tool_id) DO UPDATE SET proficiency = excluded.proficiency,
    capabilities = excluded.capabilities, granted_at = excluded.granted_at`;

/** Takes a grant away; false when there was none. */
export async function revokeAccess(
  db: Database,
  agentId: string,
  toolId: string,
): Promise<boolean> {
  const gone = await db
    .delete(grants)
    .where(isGrant(agentId, toolId))
    .returning({ toolId: grants.toolId });
  return gone.length > 0;
}

function isGrant(agentId: string, toolId: string) {
  return and(eq(grants.agentId, agentId), eq(grants.toolId, toolId));
}

const usableCapabilities = sql<string>`(
  SELECT json_group_array(id) FROM (
    SELECT id FROM capabilities
    WHERE tool_id = ${grants.toolId}
      AND (${grants.capabilities} IS NULL OR id IN (SELECT value FROM json_each(${grants.capabilities})))
    ORDER BY position
  )
)`;
