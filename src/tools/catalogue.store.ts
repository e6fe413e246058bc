import { and, eq, sql, type SQL } from "drizzle-orm";
import { jsonList, type Database } from "../platform/d1/client.ts";
import { capabilitiesTable, grantsTable, toolsTable } from "../platform/d1/schema.ts";
import {
  type Category,
  type Proficiency,
  type RegisteredTool,
  type StoredCapability,
  type ToolAuthentication,
  toPublicDocumentation,
} from "./model/tool.ts";
import { isGrantedToAny, toRegisteredTool, toStoredCapability } from "./tools.store.ts";
import { CAPABILITIES_PAGE_CHARACTERS_MAX } from "./limits.ts";
import { PAGE_LIMIT_MAX, TOTAL_COUNTED_MAX, toListTotal } from "../kernel/limits.ts";
import { buildSearchSource, WHOLE_CATALOGUE } from "./catalogue-search.store.ts";

interface ToolListItem extends Pick<
  RegisteredTool,
  "id" | "name" | "category" | "description" | "documentation"
> {
  readonly capabilities: readonly string[];
  readonly agents: readonly string[];
  readonly authentication: ToolAuthentication["type"];
}

/** A tool with its first capabilities; `totalCapabilities` counts all of them. */
export interface ToolDetail extends RegisteredTool {
  readonly capabilities: readonly StoredCapability[];
  readonly totalCapabilities: number;
  /**
   * The base URLs that individual capabilities set. Empty if `showsUpstream` is true, because they are used only to
   * decide whether to hide `documentation`.
   */
  readonly requestBaseUrls: readonly string[];
  readonly agents: readonly { readonly agentId: string; readonly proficiency: Proficiency }[];
}

interface ToolFilter {
  readonly category: Category | undefined;
  readonly search: string | undefined;
  /** Only tools that any of these agents may use; null for all tools. */
  readonly agentIds: readonly string[] | null;
  /** Only tools with these ids, or `missing` for those that need credentials and have none; null for all tools. */
  readonly credentials: readonly string[] | "missing" | null;
}

/**
 * One page of the catalogue in order of registration, and the number of matching tools (counted up to 10,000).
 * `visibleAgentIds` limits the `agents` of each tool; null shows all. `showsUpstream`: whether to include documentation
 * URLs that reveal a host of the system behind a tool.
 */
export async function listCatalogueTools(
  db: Database,
  filter: ToolFilter,
  page: { limit: number; offset: number },
  visibleAgentIds: readonly string[] | null,
  showsUpstream: boolean,
): Promise<{ tools: ToolListItem[]; total: number; totalExact: boolean }> {
  const source =
    filter.search === undefined
      ? WHOLE_CATALOGUE
      : await buildSearchSource(db, filter.search, {
          category: filter.category,
          isSelective: filter.agentIds !== null || filter.credentials !== null,
        });
  const where = and(
    source.where,
    filter.category === undefined ? undefined : eq(toolsTable.category, filter.category),
    filter.agentIds === null ? undefined : isGrantedToAny(filter.agentIds),
    filter.credentials === null ? undefined : hasCredentials(filter.credentials),
  );
  const [rows, [counted]] = await db.batch([
    db
      .select({
        ...LIST_COLUMNS,
        agents: selectAgentIds(visibleAgentIds),
        requestBaseUrls: showsUpstream ? NO_URLS : documentedBaseUrls,
      })
      .from(source.from)
      .where(where)
      .orderBy(source.order)
      .limit(page.limit)
      .offset(page.offset),
    db.select({ count: sql<number>`count(*)` }).from(
      db
        .select({ id: LIST_COLUMNS.id })
        .from(source.from)
        .where(where)
        .limit(TOTAL_COUNTED_MAX + 1)
        .as("counted"),
    ),
  ]);
  return {
    tools: rows.map(({ connector, source: importedFrom, requestBaseUrls: urls, ...row }) => ({
      ...row,
      documentation: showsUpstream
        ? row.documentation
        : toPublicDocumentation({
            documentation: row.documentation,
            connector: JSON.parse(connector),
            source: importedFrom === null ? null : JSON.parse(importedFrom),
            requestBaseUrls: JSON.parse(urls),
          }),
      capabilities: JSON.parse(row.capabilities),
      agents: JSON.parse(row.agents),
    })),
    ...toListTotal(counted?.count ?? 0),
  };
}

function hasCredentials(wanted: readonly string[] | "missing"): SQL {
  return wanted === "missing"
    ? sql`${toolsTable.authType} <> 'none' AND ${toolsTable.id} NOT IN (SELECT tool_id FROM credentials)`
    : sql`${toolsTable.id} IN ${jsonList(wanted)}`;
}

/**
 * A tool with its first capabilities and its agents; null if the tool is unknown or not visible to `visibleAgentIds`.
 */
export async function findToolDetail(
  db: Database,
  id: string,
  visibleAgentIds: readonly string[] | null,
  showsUpstream: boolean,
): Promise<ToolDetail | null> {
  const isOfTool = eq(capabilitiesTable.toolId, id);
  const isVisible =
    visibleAgentIds === null
      ? undefined
      : sql`${grantsTable.agentId} IN ${jsonList(visibleAgentIds)}`;
  const [[tool], list, [count], agentRows] = await db.batch([
    db.select().from(toolsTable).where(eq(toolsTable.id, id)),
    db
      .select()
      .from(capabilitiesTable)
      .where(and(isOfTool, limitToPage(isOfTool, FIRST_PAGE)))
      .orderBy(capabilitiesTable.position),
    db
      .select({
        capabilities: sql<number>`count(*)`,
        requestBaseUrls: showsUpstream ? NO_URLS : distinctBaseUrls,
      })
      .from(capabilitiesTable)
      .where(isOfTool),
    db
      .select({ agentId: grantsTable.agentId, proficiency: grantsTable.proficiency })
      .from(grantsTable)
      .where(and(eq(grantsTable.toolId, id), isVisible))
      .orderBy(grantsTable.agentId),
  ]);
  if (tool === undefined || (visibleAgentIds !== null && agentRows.length === 0)) return null;
  return {
    ...toRegisteredTool(tool),
    capabilities: list.map(toStoredCapability),
    totalCapabilities: count?.capabilities ?? 0,
    requestBaseUrls: JSON.parse(count?.requestBaseUrls ?? "[]"),
    agents: agentRows,
  };
}

/** Whether a tool with this id exists or has existed, and is visible to the key. */
export async function hasToolHistory(
  db: Database,
  id: string,
  visibleAgentIds: readonly string[] | null,
): Promise<boolean> {
  const granted = sql`EXISTS (SELECT 1 FROM grants WHERE tool_id = ${id} AND agent_id IN ${jsonList(visibleAgentIds ?? [])})`;
  const known = sql`${id} IN (SELECT id FROM tools UNION ALL SELECT id FROM retired_tools)`;
  const seen = visibleAgentIds === null ? known : sql`${known} AND ${granted}`;
  const [row] = await db.all<{ seen: number }>(sql`SELECT (${seen}) AS seen`);
  return row?.seen === 1;
}

/** Ids of tools that exist, or were not retired before `retiredSince`, in order of their ids. */
export async function listToolsWithHistory(
  db: Database,
  {
    toolId,
    after,
    agentIds,
    retiredSince,
    limit,
  }: {
    /** Only this tool. */
    toolId: string | undefined;
    /** Only ids after this one. */
    after: string;
    /** Only tools that any of these agents may use; null for all tools. */
    agentIds: readonly string[] | null;
    /** Milliseconds since 1970. */
    retiredSince: number;
    limit: number;
  },
): Promise<string[]> {
  const named = toolId === undefined ? sql`` : sql`AND id = ${toolId}`;
  const granted =
    agentIds === null
      ? sql``
      : sql`AND EXISTS (SELECT 1 FROM grants WHERE tool_id = id AND agent_id IN ${jsonList(agentIds)})`;
  const wanted = sql`id > ${after} ${named} ${granted}`;
  const rows = await db.all<{ id: string }>(sql`
    SELECT id FROM tools WHERE ${wanted}
    UNION SELECT id FROM retired_tools WHERE ${wanted} AND retired_at >= ${retiredSince}
    ORDER BY id LIMIT ${limit}`);
  return rows.map(({ id }) => id);
}

/** A condition that selects a page of capabilities. The page ends early if the parameters become too large. */
function limitToPage(where: SQL | undefined, page: { limit: number; offset: number }): SQL {
  const { position, parameters } = capabilitiesTable;
  const before = sql`coalesce(sum(length(${parameters})) OVER (ORDER BY ${position} ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0)`;
  const chosen = sql`SELECT * FROM ${capabilitiesTable} WHERE ${where} ORDER BY ${position} LIMIT ${page.limit} OFFSET ${page.offset}`;
  return sql`${position} IN (
    SELECT position FROM (SELECT position, ${before} AS characters FROM (${chosen}) AS capabilities)
    WHERE characters < ${CAPABILITIES_PAGE_CHARACTERS_MAX})`;
}

const FIRST_PAGE = { limit: PAGE_LIMIT_MAX, offset: 0 };

const capabilityIds = sql<string>`(SELECT json_group_array(id) FROM (SELECT id FROM capabilities WHERE tool_id = tools.id ORDER BY position))`;

const baseUrl = sql`operation ->> '$.request.baseUrl'`;
const NO_URLS = sql<string>`'[]'`;
const distinctBaseUrls = sql<string>`json_group_array(DISTINCT ${baseUrl}) FILTER (WHERE ${baseUrl} IS NOT NULL)`;
/** Reads a tool's URLs only if it has documentation, because finding them means reading all its capabilities. */
const documentedBaseUrls = sql<string>`CASE WHEN tools.documentation = '' THEN '[]' ELSE (
  SELECT json_group_array(DISTINCT ${baseUrl}) FROM capabilities
  WHERE tool_id = tools.id AND ${baseUrl} IS NOT NULL) END`;

/** The columns of a list, as SQL because drizzle accepts columns only from a FROM clause that it built itself. */
const LIST_COLUMNS = {
  id: sql<string>`${toolsTable.id}`,
  name: sql<string>`${toolsTable.name}`,
  category: sql<Category>`${toolsTable.category}`,
  description: sql<string>`${toolsTable.description}`,
  authentication: sql<ToolAuthentication["type"]>`${toolsTable.authType}`,
  documentation: sql<string>`${toolsTable.documentation}`,
  connector: sql<string>`${toolsTable.connector}`,
  source: sql<string | null>`${toolsTable.source}`,
  capabilities: capabilityIds,
};

function selectAgentIds(visibleAgentIds: readonly string[] | null): SQL<string> {
  const cut = visibleAgentIds === null ? sql`` : sql`AND agent_id IN ${jsonList(visibleAgentIds)}`;
  return sql<string>`(SELECT json_group_array(agent_id) FROM (SELECT agent_id FROM grants WHERE tool_id = tools.id ${cut} ORDER BY agent_id))`;
}

/** A page of a tool's capabilities, which ends early if it is too large. Null if the tool is unknown or not visible. */
export async function listToolCapabilities(
  db: Database,
  toolId: string,
  { search, limit, offset }: { search?: string | undefined; limit: number; offset: number },
  visibleAgentIds: readonly string[] | null,
): Promise<{
  capabilities: StoredCapability[];
  total: number;
  nextOffset: number | null;
} | null> {
  const where = and(
    eq(capabilitiesTable.toolId, toolId),
    search === undefined ? undefined : containsText(search),
  );
  const [[tool], list, [count]] = await db.batch([
    selectVisibleTool(db, toolId, visibleAgentIds),
    db
      .select()
      .from(capabilitiesTable)
      .where(and(eq(capabilitiesTable.toolId, toolId), limitToPage(where, { limit, offset })))
      .orderBy(capabilitiesTable.position),
    db
      .select({ total: sql<number>`count(*)` })
      .from(capabilitiesTable)
      .where(where),
  ]);
  if (tool === undefined) return null;
  const total = count?.total ?? 0;
  const next = offset + list.length;
  const nextOffset = list.length > 0 && next < total ? next : null;
  return { capabilities: list.map(toStoredCapability), total, nextOffset };
}

/** Finds one capability. `tool`: whether the tool exists and is visible. */
export async function findCapability(
  db: Database,
  toolId: string,
  id: string,
  visibleAgentIds: readonly string[] | null,
): Promise<{ tool: boolean; capability: StoredCapability | null }> {
  const [[tool], [found]] = await db.batch([
    selectVisibleTool(db, toolId, visibleAgentIds),
    db
      .select()
      .from(capabilitiesTable)
      .where(and(eq(capabilitiesTable.toolId, toolId), eq(capabilitiesTable.id, id))),
  ]);
  const capability = found === undefined ? null : toStoredCapability(found);
  return { tool: tool !== undefined, capability: tool === undefined ? null : capability };
}

function selectVisibleTool(db: Database, id: string, visibleAgentIds: readonly string[] | null) {
  const seen = visibleAgentIds === null ? undefined : isGrantedToAny(visibleAgentIds);
  return db
    .select({ id: toolsTable.id })
    .from(toolsTable)
    .where(and(eq(toolsTable.id, id), seen));
}

/** A tool has at most a few thousand capabilities, so reading all of them is acceptable. */
function containsText(search: string): SQL {
  const text = search.toLowerCase();
  const { id, name, description } = capabilitiesTable;
  return sql`instr(lower(${id} || char(31) || ${name} || char(31) || ${description}), ${text}) > 0`;
}
