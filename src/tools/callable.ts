import { sql, type SQL } from "drizzle-orm";
import type { Database } from "../db/client.ts";
import type { Connector, Operation } from "../domain/connector.ts";
import { CAPABILITIES_MAX, CAPABILITIES_PAGE_CHARACTERS_MAX } from "../domain/limits.ts";
import type { GrantedCapability } from "./granted.ts";

/** Where a capability stands in the catalogue: its tool's `seq`, and its place within the tool. */
export interface Place {
  readonly seq: number;
  readonly position: number;
}

/** A capability with all that its caller must know of it. */
export interface CallableCapability extends GrantedCapability {
  readonly connector: Connector["type"];
  /** Null where the tool's own code carries it out. */
  readonly operation: Operation | null;
}

/**
 * A page of the capabilities that an agent may call, null for all there are, in the order of the catalogue;
 * null for an agent that nobody has registered. A page of very large ones ends early. One query.
 */
export async function callableCapabilities(
  db: Database,
  agentId: string | null,
  { after, limit }: { readonly after: Place; readonly limit: number },
): Promise<{ shown: CallableCapability[]; next: Place | null } | null> {
  const rows = await db.all<Row>(sql`
    WITH matching AS (
      SELECT t.seq, t.id AS toolId, t.name AS toolName,
        json_extract(t.connector, '$.type') AS connector, c.position, c.id
      FROM ${callable(agentId)}
      AND t.seq >= ${after.seq} AND (t.seq, c.position) > (${after.seq}, ${after.position})
      ORDER BY t.seq, c.position LIMIT ${limit + 1}
    ), page AS (
      SELECT count(*) OVER () AS total, m.*, c.name, c.description, c.parameters, c.operation,
        coalesce(sum(length(c.parameters)) OVER (
          ORDER BY m.seq, m.position ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0) AS before
      FROM matching AS m
      JOIN capabilities AS c ON c.tool_id = m.toolId AND c.id = m.id
    )
    SELECT known.*, page.*
    FROM (SELECT EXISTS(SELECT 1 FROM agents WHERE agents.id = ${agentId}) AS isKnown) AS known
    LEFT JOIN page ON before < ${CAPABILITIES_PAGE_CHARACTERS_MAX}
    ORDER BY seq, position
  `);
  const [first] = rows;
  if (first === undefined || (agentId !== null && first.isKnown === 0)) return null;
  const page = rows.filter(isCapability).slice(0, limit);
  const last = page.at(-1);
  const next =
    last !== undefined && last.total > page.length
      ? { seq: last.seq, position: last.position }
      : null;
  return { shown: page.map(capabilityIn), next };
}

/**
 * The ids of capabilities of tools whose id begins with `toolPrefix`, of those whose `toolId__id` is LIKE
 * `pattern`, in the same order; no more than one tool can have. One query.
 */
export async function callableIds(
  db: Database,
  agentId: string | null,
  { toolPrefix, pattern }: { readonly toolPrefix: string; readonly pattern: string },
): Promise<{ toolId: string; id: string }[]> {
  return db.all<{ toolId: string; id: string }>(sql`
    SELECT t.id AS toolId, c.id
    FROM ${callable(agentId)}
    AND t.id >= ${toolPrefix} AND t.id < ${`${toolPrefix}\u{10ffff}`}
    AND t.id || '__' || c.id LIKE ${pattern}
    ORDER BY t.seq, c.position LIMIT ${CAPABILITIES_MAX}
  `);
}

/** Tools and capabilities, as `t` and `c`, to be followed by further conditions. */
function callable(agentId: string | null): SQL {
  return agentId === null
    ? sql`tools AS t JOIN capabilities AS c ON c.tool_id = t.id WHERE true`
    : sql`grants AS g
        JOIN tools AS t ON t.id = g.tool_id
        JOIN capabilities AS c ON c.tool_id = g.tool_id
        WHERE g.agent_id = ${agentId}
        AND (g.capabilities IS NULL OR c.id IN (SELECT value FROM json_each(g.capabilities)))`;
}

/** What is known of the agent beside one of the page; `seq` null where there is none. */
type Row = { readonly isKnown: number } & (CapabilityRow | { readonly seq: null });

interface CapabilityRow extends Omit<CallableCapability, "parameters" | "operation">, Place {
  /** How many were found, of which a page may be too small for the last. */
  readonly total: number;
  readonly parameters: string;
  readonly operation: string | null;
}

function isCapability<One extends Row>(row: One): row is One & CapabilityRow {
  return row.seq !== null;
}

/** `parameters` and `operation` are as the catalogue has stored them. */
function capabilityIn(row: CapabilityRow): CallableCapability {
  const { toolId, toolName, id, name, description, connector, parameters, operation } = row;
  return {
    toolId,
    toolName,
    id,
    name,
    description,
    connector,
    parameters: JSON.parse(parameters),
    operation: operation === null ? null : JSON.parse(operation),
  };
}
