import { and, eq, sql, type SQL } from "drizzle-orm";
import type { Database } from "../db/client.ts";
import { agents, capabilities, credentials, grants, tools } from "../db/schema.ts";
import type { ExecutorType } from "../domain/agent.ts";
import type { Capability } from "../domain/capability.ts";
import type { Operation } from "../domain/connector.ts";
import {
  CAPABILITIES_PAGE_CHARACTERS_MAX,
  PAGE_LIMIT_MAX,
  TOTAL_COUNTED_MAX,
} from "../domain/limits.ts";
import {
  publicDocumentation,
  type Category,
  type Proficiency,
  type RegisteredTool,
  type StoredCapability,
} from "../domain/tool.ts";
import { capabilityIn, shownCapability, toolIn } from "./rows.ts";
import { searchSource, WHOLE_CATALOGUE } from "./search.ts";

export interface ToolListItem {
  readonly id: string;
  readonly name: string;
  readonly category: Category;
  readonly description: string;
  readonly capabilities: readonly string[];
  readonly agents: readonly string[];
  readonly authentication: string;
  readonly documentation: string;
}

/** `capabilities` are the first 100 of `totalCapabilities`. */
export interface ToolDetail extends RegisteredTool {
  readonly capabilities: readonly StoredCapability[];
  readonly totalCapabilities: number;
  /** The base URLs of the requests of all capabilities; empty for keys with `tools:manage`. */
  readonly requestBaseUrls: readonly string[];
  readonly agents: readonly { readonly agentId: string; readonly proficiency: Proficiency }[];
}

export interface ToolFilter {
  readonly category: Category | undefined;
  readonly search: string | undefined;
  /** Only tools that one of `agentIds` may use; null for every tool. */
  readonly agentIds: readonly string[] | null;
}

/**
 * One page of the catalogue in order of registration, and how many tools match (counted up to
 * 10,000). `visibleAgentIds` cuts each tool's `agents`; null shows all. `showsUpstream`: also show
 * documentation that reveals a host of the system behind a tool.
 */
export async function listTools(
  db: Database,
  filter: ToolFilter,
  page: { limit: number; offset: number },
  visibleAgentIds: readonly string[] | null,
  showsUpstream: boolean,
): Promise<{ tools: ToolListItem[]; total: number; totalExact: boolean }> {
  const source =
    filter.search === undefined
      ? WHOLE_CATALOGUE
      : await searchSource(db, filter.search, {
          category: filter.category,
          amongFew: filter.agentIds !== null,
        });
  const where = and(
    source.where,
    filter.category === undefined ? undefined : eq(tools.category, filter.category),
    filter.agentIds === null ? undefined : grantedToAny(filter.agentIds),
  );
  const [rows, counts] = await db.batch([
    db
      .select({
        ...LISTED,
        agents: agentIdsOf(visibleAgentIds),
        requestBaseUrls: showsUpstream ? NO_URLS : requestBaseUrls,
      })
      .from(source.from)
      .where(where)
      .orderBy(source.order)
      .limit(page.limit)
      .offset(page.offset),
    db.select({ count: sql<number>`count(*)` }).from(
      db
        .select({ id: LISTED.id })
        .from(source.from)
        .where(where)
        .limit(TOTAL_COUNTED_MAX + 1)
        .as("counted"),
    ),
  ]);
  const counted = counts[0]?.count ?? 0;
  return {
    tools: rows.map(({ connector, source: importedFrom, requestBaseUrls: urls, ...row }) => ({
      ...row,
      documentation: showsUpstream
        ? row.documentation
        : publicDocumentation({
            documentation: row.documentation,
            connector: JSON.parse(connector),
            source: importedFrom === null ? null : JSON.parse(importedFrom),
            requestBaseUrls: JSON.parse(urls),
          }),
      capabilities: JSON.parse(row.capabilities),
      agents: JSON.parse(row.agents),
    })),
    total: Math.min(counted, TOTAL_COUNTED_MAX),
    totalExact: counted <= TOTAL_COUNTED_MAX,
  };
}

/**
 * A tool with its first capabilities and its agents; null if it does not exist or none of `visibleAgentIds` has
 * it. `showsUpstream`: do not read `requestBaseUrls`, which are needed only to hide documentation.
 */
export async function findTool(
  db: Database,
  id: string,
  visibleAgentIds: readonly string[] | null,
  showsUpstream: boolean,
): Promise<ToolDetail | null> {
  const [[tool], list, [count], agentRows] = await db.batch([
    db.select().from(tools).where(eq(tools.id, id)),
    db
      .select()
      .from(capabilities)
      .where(and(eq(capabilities.toolId, id), onPage(eq(capabilities.toolId, id), FIRST_PAGE)))
      .orderBy(capabilities.position),
    db
      .select({
        capabilities: sql<number>`count(*)`,
        requestBaseUrls: showsUpstream ? NO_URLS : distinctBaseUrls,
      })
      .from(capabilities)
      .where(eq(capabilities.toolId, id)),
    db
      .select({ agentId: grants.agentId, proficiency: grants.proficiency })
      .from(grants)
      .where(and(eq(grants.toolId, id), among(grants.agentId, visibleAgentIds)))
      .orderBy(grants.agentId),
  ]);
  if (tool === undefined || (visibleAgentIds !== null && agentRows.length === 0)) return null;
  return {
    ...toolIn(tool),
    capabilities: list.map(capabilityIn),
    totalCapabilities: count?.capabilities ?? 0,
    requestBaseUrls: JSON.parse(count?.requestBaseUrls ?? "[]"),
    agents: agentRows,
  };
}

/** Whether there is, or once was, a tool of this id that the key's agents may see. */
export async function hasHistory(
  db: Database,
  id: string,
  visibleAgentIds: readonly string[] | null,
): Promise<boolean> {
  const granted = sql`EXISTS (SELECT 1 FROM grants WHERE tool_id = ${id} AND agent_id IN ${listed(visibleAgentIds ?? [])})`;
  const known = sql`${id} IN (SELECT id FROM tools UNION ALL SELECT id FROM retired_tools)`;
  const seen = visibleAgentIds === null ? known : sql`${known} AND ${granted}`;
  const [row] = await db.all<{ seen: number }>(sql`SELECT (${seen}) AS seen`);
  return row?.seen === 1;
}

/**
 * The condition of a page of capabilities: it ends early where the parameters grow too large for one
 * answer, but holds at least one.
 */
export function onPage(where: SQL | undefined, page: { limit: number; offset: number }): SQL {
  const { position, parameters } = capabilities;
  const before = sql`coalesce(sum(length(${parameters})) OVER (ORDER BY ${position} ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0)`;
  const chosen = sql`SELECT * FROM ${capabilities} WHERE ${where} ORDER BY ${position} LIMIT ${page.limit} OFFSET ${page.offset}`;
  return sql`${position} IN (
    SELECT position FROM (SELECT position, ${before} AS characters FROM (${chosen}) AS capabilities)
    WHERE characters < ${CAPABILITIES_PAGE_CHARACTERS_MAX})`;
}

const FIRST_PAGE = { limit: PAGE_LIMIT_MAX, offset: 0 };

/** The calling agent's entry in the registry. */
export interface CallingAgent {
  readonly id: string;
  readonly enabled: boolean;
  readonly executor: ExecutorType;
  readonly requireTask: boolean;
}

/** What one invocation needs to know, in one query. */
export interface InvocationFacts {
  readonly tool: RegisteredTool;
  readonly capability: Capability | null;
  readonly operation: Operation | null;
  /** What the tool authenticates with, sealed. */
  readonly credential: typeof credentials.$inferSelect | null;
  readonly grant: { readonly capabilities: readonly string[] | null } | null;
  /** The calling agent's entry in the registry; null if it is unknown. */
  readonly agent: CallingAgent | null;
  /** Whether other agents have been granted the tool. */
  readonly isShared: boolean;
  /** Whether any of the key's agents may use the tool; true for unbound keys. */
  readonly visible: boolean;
}

export async function findForInvocation(
  db: Database,
  call: { toolId: string; capability: string; agentId: string | null },
  visibleAgentIds: readonly string[] | null,
): Promise<InvocationFacts | null> {
  const visible =
    visibleAgentIds === null ? sql<number>`1` : sql<number>`${grantedToAny(visibleAgentIds)}`;
  const row = await db
    .select({
      tool: tools,
      capability: capabilities,
      grant: grants,
      credential: credentials,
      agent: {
        id: agents.id,
        enabled: agents.enabled,
        executor: agents.executor,
        requireTask: agents.requireTask,
      },
      isShared: sql<number>`EXISTS(SELECT 1 FROM grants AS g WHERE g.tool_id = ${tools.id} AND g.agent_id <> ${call.agentId ?? ""})`,
      visible,
    })
    .from(tools)
    .leftJoin(
      capabilities,
      and(eq(capabilities.toolId, tools.id), eq(capabilities.id, call.capability)),
    )
    .leftJoin(grants, and(eq(grants.toolId, tools.id), eq(grants.agentId, call.agentId ?? "")))
    .leftJoin(agents, eq(agents.id, call.agentId ?? ""))
    .leftJoin(credentials, eq(credentials.toolId, tools.id))
    .where(eq(tools.id, call.toolId))
    .get();
  if (row === undefined) return null;
  return {
    tool: toolIn(row.tool),
    capability: row.capability === null ? null : shownCapability(row.capability),
    operation: row.capability?.operation ?? null,
    credential: row.credential,
    grant: row.grant,
    agent: row.agent,
    isShared: row.isShared === 1,
    visible: row.visible === 1,
  };
}

const capabilityIds = sql<string>`(SELECT json_group_array(id) FROM (SELECT id FROM capabilities WHERE tool_id = tools.id ORDER BY position))`;

const baseUrl = sql`operation ->> '$.request.baseUrl'`;
const NO_URLS = sql<string>`'[]'`;
const distinctBaseUrls = sql<string>`json_group_array(DISTINCT ${baseUrl}) FILTER (WHERE ${baseUrl} IS NOT NULL)`;
/** Read only for tools with documentation, because the query reads every capability. */
const requestBaseUrls = sql<string>`CASE WHEN tools.documentation = '' THEN '[]' ELSE (
  SELECT json_group_array(DISTINCT ${baseUrl}) FROM capabilities
  WHERE tool_id = tools.id AND ${baseUrl} IS NOT NULL) END`;

/** What lists show. As SQL, because drizzle allows columns only of a FROM that it built itself. */
const LISTED = {
  id: sql<string>`${tools.id}`,
  name: sql<string>`${tools.name}`,
  category: sql<Category>`${tools.category}`,
  description: sql<string>`${tools.description}`,
  authentication: sql<string>`${tools.authType}`,
  documentation: sql<string>`${tools.documentation}`,
  connector: sql<string>`${tools.connector}`,
  source: sql<string | null>`${tools.source}`,
  capabilities: capabilityIds,
};

function agentIdsOf(visibleAgentIds: readonly string[] | null): SQL<string> {
  const cut = visibleAgentIds === null ? sql`` : sql`AND agent_id IN ${listed(visibleAgentIds)}`;
  return sql<string>`(SELECT json_group_array(agent_id) FROM (SELECT agent_id FROM grants WHERE tool_id = tools.id ${cut} ORDER BY agent_id))`;
}

export function grantedToAny(agentIds: readonly string[]): SQL {
  return sql`${tools.id} IN (SELECT tool_id FROM grants WHERE agent_id IN ${listed(agentIds)})`;
}

function among(column: typeof grants.agentId, agentIds: readonly string[] | null): SQL | undefined {
  return agentIds === null ? undefined : sql`${column} IN ${listed(agentIds)}`;
}

/** A list of any length as one bound parameter: D1 binds at most a hundred. */
function listed(values: readonly string[]): SQL {
  return sql`(SELECT value FROM json_each(${JSON.stringify(values)}))`;
}
