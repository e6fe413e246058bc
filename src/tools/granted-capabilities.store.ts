import { sql, type SQL } from "drizzle-orm";
import type { Database } from "../platform/d1/client.ts";
import { CAPABILITIES_MAX, CAPABILITIES_PAGE_CHARACTERS_MAX } from "./limits.ts";
import type { CataloguePosition, GrantedCapability } from "./model/access.ts";

/** Further words of a search are ignored. */
const SEARCH_WORDS_MAX = 10;

export interface GrantedPage {
  /** Null for an unknown agent, or without an agent. */
  readonly isAgentEnabled: boolean | null;
  readonly shown: GrantedCapability[];
  /** How many capabilities match a search; null for a page of the catalogue. */
  readonly total: number | null;
  /** Where the next page begins; null for a search, and after the last page. */
  readonly next: CataloguePosition | null;
}

/**
 * The capabilities that match a search (each word is in the ids, names or description), or a page of all
 * capabilities after a position. `agentId`: only those that the agent may use; null for all. In the order of the
 * catalogue. The page ends early if the parameters become too large. One query.
 */
export async function selectGrantedCapabilities(
  db: Database,
  agentId: string | null,
  part: { readonly search: string } | { readonly after: CataloguePosition },
  limit: number,
): Promise<GrantedPage> {
  const isSearch = "search" in part;
  const rows = await db.all<PageRow>(sql`
    WITH matching AS (
      SELECT t.seq, t.id AS toolId, t.name AS toolName,
        json_extract(t.connector, '$.type') AS connector, c.position, c.id
      FROM ${selectCallable(agentId)}
      AND ${isSearch ? containsWords(part.search) : isAfter(part.after, limit)}
    ), page AS (
      SELECT m.*, c.name, c.description, c.parameters, c.operation,
        coalesce(sum(length(c.parameters)) OVER (
          ORDER BY m.seq, m.position ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0) AS before
      FROM (SELECT * FROM matching ORDER BY seq, position LIMIT ${limit}) AS m
      JOIN capabilities AS c ON c.tool_id = m.toolId AND c.id = m.id
    )
    SELECT known.*, page.*
    FROM (SELECT
      (SELECT enabled FROM agents WHERE agents.id = ${agentId ?? ""}) AS enabled,
      (SELECT count(*) FROM matching) AS total
    ) AS known
    LEFT JOIN page ON before < ${CAPABILITIES_PAGE_CHARACTERS_MAX}
    ORDER BY seq, position
  `);
  const enabled = rows[0]?.enabled ?? null;
  const total = rows[0]?.total ?? 0;
  const page = rows.filter(isCapabilityRow);
  const last = page.at(-1);
  return {
    isAgentEnabled: enabled === null ? null : enabled === 1,
    shown: page.map(toGrantedCapability),
    total: isSearch ? total : null,
    next:
      isSearch || last === undefined || total <= page.length
        ? null
        : { seq: last.seq, position: last.position },
  };
}

/** The ids of capabilities whose `toolId__id` is LIKE `pattern`, of tools whose id begins with `toolPrefix`. One query. */
export async function selectGrantedIds(
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

/** Tools and capabilities, as `t` and `c`; further conditions can follow. */
function selectCallable(agentId: string | null): SQL {
  return agentId === null
    ? sql`tools AS t JOIN capabilities AS c ON c.tool_id = t.id WHERE true`
    : sql`grants AS g
        JOIN tools AS t ON t.id = g.tool_id
        JOIN capabilities AS c ON c.tool_id = g.tool_id
        WHERE g.agent_id = ${agentId}
        AND (g.capabilities IS NULL OR c.id IN (SELECT value FROM json_each(g.capabilities)))`;
}

function containsWords(search: string): SQL {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean).slice(0, SEARCH_WORDS_MAX);
  return sql`NOT EXISTS (
    SELECT 1 FROM json_each(${JSON.stringify(words)}) WHERE instr(
      lower(t.id || ' ' || t.name || ' ' || c.id || ' ' || c.name || ' ' || c.description),
      value) = 0)`;
}

/** Reads one row more than the page, which shows whether another page follows. */
function isAfter({ seq, position }: CataloguePosition, limit: number): SQL {
  return sql`t.seq >= ${seq} AND (t.seq, c.position) > (${seq}, ${position})
    ORDER BY t.seq, c.position LIMIT ${limit + 1}`;
}

/** The query has at least one row, with `seq` null if the page is empty. */
type PageRow = { readonly enabled: number | null; readonly total: number } & (
  | CapabilityRow
  | { readonly seq: null }
);

interface CapabilityRow
  extends Omit<GrantedCapability, "parameters" | "operation">, CataloguePosition {
  readonly parameters: string;
  readonly operation: string | null;
}

function isCapabilityRow<Row extends PageRow>(row: Row): row is Row & CapabilityRow {
  return row.seq !== null;
}

function toGrantedCapability(row: CapabilityRow): GrantedCapability {
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
