import { and, eq, sql, type SQL } from "drizzle-orm";
import type { AuditedBatch } from "../platform/d1/audited-batch.ts";
import { buildConditionalInsert, type Database } from "../platform/d1/client.ts";
import { agentsTable, capabilitiesTable, grantsTable, toolsTable } from "../platform/d1/schema.ts";
import { CAPABILITIES_MAX, CAPABILITIES_PAGE_CHARACTERS_MAX } from "./limits.ts";
import type {
  CataloguePosition,
  GrantedCapability,
  Proficiency,
  RegisteredTool,
} from "./model/tool.ts";

/**
 * A grant that lets one agent use one tool. `capabilities` is null if all are granted. `grantedAt` is in milliseconds
 * since 1970.
 */
export interface Grant extends Omit<typeof grantsTable.$inferSelect, "capabilities"> {
  readonly capabilities: readonly string[] | null;
}

/** A tool that an agent may use, with only the capabilities that the agent may use. */
export interface GrantedTool extends Pick<RegisteredTool, "id" | "name" | "category"> {
  readonly proficiency: Proficiency;
  readonly capabilities: readonly string[];
}

/** The tools that an agent may use; null for an unknown agent. */
export async function findAgentAccess(
  db: Database,
  agentId: string,
): Promise<{ agentName: string; enabled: boolean; tools: GrantedTool[] } | null> {
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
    agentName: agent.name,
    enabled: agent.enabled,
    tools: entries.map((entry) => ({ ...entry, capabilities: JSON.parse(entry.capabilities) })),
  };
}

/** Finds whether a grant's tool and agent exist, whether there is an earlier grant, and the tool's capabilities. */
export async function findGrantTargets(
  db: Database,
  { agentId, toolId }: Grant,
): Promise<{ hasTool: boolean; hasAgent: boolean; isGranted: boolean; capabilities: string[] }> {
  const [tools, capabilities, grants, agents] = await db.batch([
    db.select({ id: toolsTable.id }).from(toolsTable).where(eq(toolsTable.id, toolId)),
    db
      .select({ id: capabilitiesTable.id })
      .from(capabilitiesTable)
      .where(eq(capabilitiesTable.toolId, toolId))
      .orderBy(capabilitiesTable.position),
    db
      .select({ agentId: grantsTable.agentId })
      .from(grantsTable)
      .where(matchesGrant(agentId, toolId)),
    db.select({ id: agentsTable.id }).from(agentsTable).where(eq(agentsTable.id, agentId)),
  ]);
  return {
    hasTool: tools.length > 0,
    hasAgent: agents.length > 0,
    isGranted: grants.length > 0,
    capabilities: capabilities.map(({ id }) => id),
  };
}

/**
 * Writes the agent and the grant in one transaction. Returns false and writes nothing if the agent has been deleted.
 */
export async function saveGrant(
  db: Database,
  grant: Grant,
  grantedBy: string,
  batch: AuditedBatch,
): Promise<boolean> {
  const { agentId, proficiency, capabilities, grantedAt } = grant;
  const isNewId = sql`${agentId} NOT IN (SELECT id FROM deleted_agents)`;
  const isAgent = sql`EXISTS (SELECT 1 FROM agents WHERE id = ${agentId})`;
  const agent = { ...NEW_AGENT, id: agentId, name: agentId, createdAt: grantedAt };
  const [, granted] = await batch(
    [
      buildConditionalInsert(
        db,
        agentsTable,
        { ...agent, createdBy: grantedBy },
        isNewId,
      ).onConflictDoNothing(),
      buildConditionalInsert(
        db,
        grantsTable,
        { ...grant, capabilities: capabilities === null ? null : [...capabilities] },
        isAgent,
      )
        .onConflictDoUpdate({
          target: [grantsTable.agentId, grantsTable.toolId],
          set: {
            proficiency,
            capabilities: capabilities === null ? null : [...capabilities],
            grantedAt,
          },
        })
        .returning({ toolId: grantsTable.toolId }),
    ],
    1,
  );
  return granted.length > 0;
}

/** The columns of an agent that a grant creates, except its id, name and origin. */
const NEW_AGENT = {
  description: "",
  skills: [],
  executor: "builtin" as const,
  executorSettings: null,
  sealed: null,
  maxConcurrentTasks: null,
  requireReview: false,
  enabled: true,
  requireTask: false,
  ratingSum: 0,
  ratingCount: 0,
  pause: null,
  resumedAt: null,
  noProgress: null,
};

/** An agent's grant for a tool; null if there is none. */
export async function findGrant(
  db: Database,
  agentId: string,
  toolId: string,
): Promise<Grant | null> {
  return (await db.select().from(grantsTable).where(matchesGrant(agentId, toolId)).get()) ?? null;
}

export async function deleteGrant(
  db: Database,
  agentId: string,
  toolId: string,
  batch: AuditedBatch,
): Promise<void> {
  await batch([db.delete(grantsTable).where(matchesGrant(agentId, toolId))]);
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

/** The maximum number of words in a search. Further words are ignored. */
const SEARCH_WORDS_MAX = 10;

interface GrantedPage {
  /** Null if the agent is unknown or no agent was specified. */
  readonly isAgentEnabled: boolean | null;
  readonly capabilities: GrantedCapability[];
  /**
   * The number of capabilities that match a search. For a page of the catalogue, at most `limit` + 1, which is enough
   * to tell whether another page follows.
   */
  readonly total: number;
  /** The position after which the next page begins; null if this is the last page. */
  readonly next: CataloguePosition | null;
}

/**
 * Selects the capabilities that match a search, or a page of all capabilities after a position, in one query. Every
 * search word must appear in an id, a name or the description. `agentId` limits the result to the agent's capabilities;
 * null selects from all. Results are in catalogue order. The page ends early if the parameters become too large.
 */
export async function selectGrantedCapabilities(
  db: Database,
  agentId: string | null,
  part: { readonly search: string } | { readonly after: CataloguePosition },
  limit: number,
): Promise<GrantedPage> {
  const rows = await db.all<PageRow>(sql`
    WITH matching AS (
      SELECT t.seq, t.id AS toolId, t.name AS toolName,
        json_extract(t.connector, '$.type') AS connector, c.position, c.id
      FROM ${selectCallable(agentId)}
      AND ${"search" in part ? containsWords(part.search) : isAfter(part.after, limit)}
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
  const page = rows.filter((row) => row.seq !== null);
  const last = page.at(-1);
  return {
    isAgentEnabled: enabled === null ? null : enabled === 1,
    capabilities: page.map(toGrantedCapability),
    total,
    next:
      last === undefined || total <= page.length
        ? null
        : { seq: last.seq, position: last.position },
  };
}

/**
 * Selects, with one query, the ids of capabilities whose `toolId__id` matches the LIKE pattern, from tools whose id
 * begins with `toolPrefix`.
 */
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

/** The FROM and WHERE clauses for tools (`t`) and capabilities (`c`). More conditions can be appended. */
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

/** Reads one extra row, to tell whether another page follows. */
function isAfter({ seq, position }: CataloguePosition, limit: number): SQL {
  return sql`t.seq >= ${seq} AND (t.seq, c.position) > (${seq}, ${position})
    ORDER BY t.seq, c.position LIMIT ${limit + 1}`;
}

/** The query returns at least one row; `seq` is null if the page is empty. */
type PageRow = { readonly enabled: number | null; readonly total: number } & (
  | CapabilityRow
  | { readonly seq: null }
);

interface CapabilityRow
  extends Omit<GrantedCapability, "parameters" | "operation">, CataloguePosition {
  readonly parameters: string;
  readonly operation: string | null;
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
