import { sql, type SQL } from "drizzle-orm";
import type { Database } from "../platform/d1/client.ts";
import type { Connector, CapabilityOperation } from "./model/connector.ts";
import { CAPABILITIES_MAX, CAPABILITIES_PAGE_CHARACTERS_MAX } from "./limits.ts";
import type { Parameter } from "./model/capability.ts";

/** A capability that an agent may use, with what a model must know to use it. */
export interface GrantedCapability {
  readonly toolId: string;
  readonly toolName: string;
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly parameters: readonly Parameter[];
}

/** Words of a search that count; nobody means more. */
const WORDS_MAX = 10;

/**
 * The capabilities that an agent may use, in the order of the catalogue, and how many match; null for an
 * agent that is not registered and enabled. Each word of `search` must stand in the ids, names or
 * description. A page of very large ones ends early. One query.
 */
export async function searchGrantedCapabilities(
  db: Database,
  agentId: string,
  { search, limit }: { readonly search: string | null; readonly limit: number },
): Promise<{ shown: GrantedCapability[]; total: number } | null> {
  const words = (search ?? "").toLowerCase().split(/\s+/).filter(Boolean).slice(0, WORDS_MAX);
  const rows = await db.all<GrantedRow>(sql`
    WITH matching AS (
      SELECT t.seq, t.id AS toolId, t.name AS toolName, c.position, c.id
      FROM grants AS g
      JOIN tools AS t ON t.id = g.tool_id
      JOIN capabilities AS c ON c.tool_id = g.tool_id
      WHERE g.agent_id = ${agentId}
        AND (g.capabilities IS NULL OR c.id IN (SELECT value FROM json_each(g.capabilities)))
        AND NOT EXISTS (
          SELECT 1 FROM json_each(${JSON.stringify(words)}) WHERE instr(
            lower(t.id || ' ' || t.name || ' ' || c.id || ' ' || c.name || ' ' || c.description),
            value) = 0)
    ), page AS (
      SELECT m.*, c.name, c.description, c.parameters,
        coalesce(sum(length(c.parameters)) OVER (
          ORDER BY m.seq, m.position ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0) AS before
      FROM (SELECT * FROM matching ORDER BY seq, position LIMIT ${limit}) AS m
      JOIN capabilities AS c ON c.tool_id = m.toolId AND c.id = m.id
    )
    SELECT known.*, toolId, toolName, id, name, description, parameters
    FROM (SELECT
      EXISTS(SELECT 1 FROM agents WHERE agents.id = ${agentId} AND enabled) AS enabled,
      (SELECT count(*) FROM matching) AS total
    ) AS known
    LEFT JOIN page ON before < ${CAPABILITIES_PAGE_CHARACTERS_MAX}
    ORDER BY seq, position
  `);
  const [first] = rows;
  if (first === undefined || first.enabled === 0) return null;
  const shown = rows.flatMap(({ enabled: _enabled, total: _total, parameters, ...one }) =>
    parameters === null ? [] : [{ ...one, parameters: parseParameters(parameters) }],
  );
  return { shown, total: first.total };
}

/** What is known of the agent beside a capability of the page; `parameters` null where there is none. */
interface GrantedRow extends Omit<GrantedCapability, "parameters"> {
  readonly enabled: number;
  readonly total: number;
  readonly parameters: string | null;
}

/** As the catalogue has stored them. */
function parseParameters(text: string): Parameter[] {
  return JSON.parse(text);
}

/** Where a capability stands in the catalogue: its tool's `seq`, and its place within the tool. */
export interface CataloguePosition {
  readonly seq: number;
  readonly position: number;
}

/** A capability with all that its caller must know of it. */
export interface CallableCapability extends GrantedCapability {
  readonly connector: Connector["type"];
  /** Null where the tool's own code carries it out. */
  readonly operation: CapabilityOperation | null;
}

/**
 * A page of the capabilities that an agent may call, null for all there are, in the order of the catalogue;
 * null for an agent that nobody has registered. A page of very large ones ends early. One query.
 */
export async function listCallableCapabilities(
  db: Database,
  agentId: string | null,
  { after, limit }: { readonly after: CataloguePosition; readonly limit: number },
): Promise<{ shown: CallableCapability[]; next: CataloguePosition | null } | null> {
  const rows = await db.all<CallableRow>(sql`
    WITH matching AS (
      SELECT t.seq, t.id AS toolId, t.name AS toolName,
        json_extract(t.connector, '$.type') AS connector, c.position, c.id
      FROM ${selectCallable(agentId)}
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
  const page = rows.filter(isCapabilityRow).slice(0, limit);
  const last = page.at(-1);
  const next =
    last !== undefined && last.total > page.length
      ? { seq: last.seq, position: last.position }
      : null;
  return { shown: page.map(toCallableCapability), next };
}

/**
 * The ids of capabilities of tools whose id begins with `toolPrefix`, of those whose `toolId__id` is LIKE
 * `pattern`, in the same order; no more than one tool can have. One query.
 */
export async function findCallableIds(
  db: Database,
  agentId: string | null,
  { toolPrefix, pattern }: { readonly toolPrefix: string; readonly pattern: string },
): Promise<{ toolId: string; id: string }[]> {
  return db.all<{ toolId: string; id: string }>(sql`
    SELECT t.id AS toolId, c.id
    FROM ${selectCallable(agentId)}
    AND t.id >= ${toolPrefix} AND t.id < ${`${toolPrefix}\u{10ffff}`}
    AND t.id || '__' || c.id LIKE ${pattern}
    ORDER BY t.seq, c.position LIMIT ${CAPABILITIES_MAX}
  `);
}

/** Tools and capabilities, as `t` and `c`, to be followed by further conditions. */
function selectCallable(agentId: string | null): SQL {
  return agentId === null
    ? sql`tools AS t JOIN capabilities AS c ON c.tool_id = t.id WHERE true`
    : sql`grants AS g
        JOIN tools AS t ON t.id = g.tool_id
        JOIN capabilities AS c ON c.tool_id = g.tool_id
        WHERE g.agent_id = ${agentId}
        AND (g.capabilities IS NULL OR c.id IN (SELECT value FROM json_each(g.capabilities)))`;
}

/** What is known of the agent beside one of the page; `seq` null where there is none. */
type CallableRow = { readonly isKnown: number } & (CapabilityRow | { readonly seq: null });

interface CapabilityRow
  extends Omit<CallableCapability, "parameters" | "operation">, CataloguePosition {
  /** How many were found, of which a page may be too small for the last. */
  readonly total: number;
  readonly parameters: string;
  readonly operation: string | null;
}

function isCapabilityRow<One extends CallableRow>(row: One): row is One & CapabilityRow {
  return row.seq !== null;
}

/** `parameters` and `operation` are as the catalogue has stored them. */
function toCallableCapability(row: CapabilityRow): CallableCapability {
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
