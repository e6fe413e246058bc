import { sql, type SQL } from "drizzle-orm";
import { jsonList, type Database } from "../../platform/d1/client.ts";
import type { Grant } from "../access.store.ts";
import type { Proficiency } from "../model/tool.ts";

/** A grant with the names of its agent and tool. */
export interface NamedGrant extends Grant {
  readonly agentName: string;
  readonly toolName: string;
}

/** The values that grants must have; null matches any. */
export interface GrantFilter {
  readonly agentIds: readonly string[] | null;
  readonly toolId: string | null;
  /** A capability of the tool that the grant must cover. Requires `toolId`. */
  readonly capability: string | null;
}

/** A grant's position in a list, which is ordered by agent and then by tool. */
export type GrantPosition = Pick<Grant, "agentId" | "toolId">;

interface GrantRow extends Omit<NamedGrant, "capabilities" | "proficiency"> {
  readonly proficiency: Proficiency;
  /** A JSON array; null if the grant covers all capabilities. */
  readonly capabilities: string | null;
}

/**
 * Selects grants after a position. CROSS JOIN makes SQLite read the grants first, in the order of their index, so that
 * it neither sorts nor reads more than a page. Grants of retired tools are skipped.
 */
export async function selectGrants(
  db: Database,
  filter: GrantFilter,
  after: GrantPosition | null,
  limit: number,
): Promise<NamedGrant[]> {
  const rows = await db.all<GrantRow>(selectGrantsSql(filter, after, limit));
  return rows.map((row) => ({
    ...row,
    capabilities: row.capabilities === null ? null : JSON.parse(row.capabilities),
  }));
}

export function selectGrantsSql(
  filter: GrantFilter,
  after: GrantPosition | null,
  limit: number,
): SQL {
  return sql`
    SELECT g.agent_id AS agentId, a.name AS agentName, g.tool_id AS toolId, t.name AS toolName,
      g.proficiency, g.granted_at AS grantedAt,
      iif(g.capabilities IS NULL, NULL, (
        SELECT json_group_array(id) FROM (
          SELECT c.id FROM json_each(g.capabilities) AS granted
          JOIN capabilities AS c ON c.tool_id = g.tool_id AND c.id = granted.value
          ORDER BY c.position
        )
      )) AS capabilities
    FROM grants AS g
    CROSS JOIN tools AS t ON t.id = g.tool_id
    CROSS JOIN agents AS a ON a.id = g.agent_id
    WHERE ${sql.join([...listConditions(filter), isAfter(filter, after)], sql` AND `)}
    ORDER BY g.agent_id, g.tool_id
    LIMIT ${limit}`;
}

function listConditions({ agentIds, toolId, capability }: GrantFilter): SQL[] {
  return [
    ...(agentIds === null ? [] : [isOfAny(agentIds)]),
    ...(toolId === null ? [] : [sql`g.tool_id = ${toolId}`]),
    ...(capability === null
      ? []
      : [
          sql`EXISTS (SELECT 1 FROM capabilities WHERE tool_id = g.tool_id AND id = ${capability})`,
          sql`(g.capabilities IS NULL OR ${capability} IN (SELECT value FROM json_each(g.capabilities)))`,
        ]),
  ];
}

/** For a single agent, an equality lets SQLite read only the rest of that agent's part of the index. */
function isOfAny(agentIds: readonly string[]): SQL {
  const [only, ...others] = agentIds;
  return only !== undefined && others.length === 0
    ? sql`g.agent_id = ${only}`
    : sql`g.agent_id IN ${jsonList(agentIds)}`;
}

/** An agent has at most one grant of a tool, so with one tool, the agent alone is the position. */
function isAfter({ toolId }: GrantFilter, after: GrantPosition | null): SQL {
  if (after === null) return sql`true`;
  if (toolId !== null) return sql`g.agent_id > ${after.agentId}`;
  return sql`(g.agent_id, g.tool_id) > (${after.agentId}, ${after.toolId})`;
}
