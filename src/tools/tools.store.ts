import type { AuditedBatch } from "../platform/d1/audited-batch.ts";
import { and, eq, getTableColumns, sql, type SQL } from "drizzle-orm";
import type { Pause } from "../agents/model/pause.ts";
import type { Policy } from "../governance/model/policy.ts";
import type { LimitTerms } from "../governance/model/spending/limit.ts";
import { jsonList, type Database } from "../platform/d1/client.ts";
import { coveringLimitsSql } from "../platform/d1/limit-predicates.ts";
import { coversCallSql } from "../platform/d1/policy-predicates.ts";
import {
  agentsTable,
  capabilitiesTable,
  credentialsTable,
  grantsTable,
  retiredToolsTable,
  toolsTable,
} from "../platform/d1/schema.ts";
import { takesOwnershipBySecret } from "../keys/model/key.ts";
import type { RegisteredTool, StoredCapability } from "./model/tool.ts";
import { isRedirected, type ToolChanges, type ToolWithCapabilities } from "./model/tool-changes.ts";
import { buildCredentialUpsert, type SealedCredential } from "./credentials/credentials.store.ts";
import { toPublicCapability } from "./model/capability.ts";
import type { CallingAgent } from "./model/invocation.ts";

export function toRegisteredTool(row: typeof toolsTable.$inferSelect): RegisteredTool {
  return {
    id: row.id,
    name: row.name,
    category: row.category,
    description: row.description,
    documentation: row.documentation,
    authentication: { type: row.authType, scopes: row.authScopes },
    rateLimit: { requests: row.rateRequests, period: row.ratePeriod },
    pricing: { model: "usage", free: row.priceFree, overage: row.priceOverage },
    connector: row.connector,
    source: row.source,
    version: row.version,
    createdBy: row.createdBy,
  };
}

function toToolRow(tool: RegisteredTool): Omit<typeof toolsTable.$inferInsert, "seq"> {
  const { authentication, rateLimit, pricing, ...same } = tool;
  return {
    ...same,
    authType: authentication.type,
    authScopes: [...authentication.scopes],
    rateRequests: rateLimit.requests,
    ratePeriod: rateLimit.period,
    priceFree: pricing.free,
    priceOverage: pricing.overage,
  };
}

export function toStoredCapability(row: typeof capabilitiesTable.$inferSelect): StoredCapability {
  return { ...toPublicCapability(row), operation: row.operation };
}

/** A tool without its capabilities. */
export async function findTool(db: Database, id: string): Promise<RegisteredTool | null> {
  const row = await db.select().from(toolsTable).where(eq(toolsTable.id, id)).get();
  return row === undefined ? null : toRegisteredTool(row);
}

/** Whether an id belongs to a retired tool. */
export async function isRetired(db: Database, id: string): Promise<boolean> {
  return (await selectRetired(db, id)).length > 0;
}

function selectRetired(db: Database, id: string) {
  const { id: retiredId } = retiredToolsTable;
  return db.select({ id: retiredId }).from(retiredToolsTable).where(eq(retiredId, id));
}

/** Loads a tool with its capabilities, and whether the id belongs to a retired tool. */
export async function loadTool(
  db: Database,
  id: string,
): Promise<{ definition: ToolWithCapabilities | null; retired: boolean }> {
  const [[tool], list, retired] = await db.batch([
    db.select().from(toolsTable).where(eq(toolsTable.id, id)),
    db
      .select()
      .from(capabilitiesTable)
      .where(eq(capabilitiesTable.toolId, id))
      .orderBy(capabilitiesTable.position),
    selectRetired(db, id),
  ]);
  const definition =
    tool === undefined
      ? null
      : { tool: toRegisteredTool(tool), capabilities: list.map(toStoredCapability) };
  return { definition, retired: retired.length > 0 };
}

/**
 * Saves a tool in one transaction that writes only the capabilities listed in `changes`, and deletes the credentials if
 * there are new origins. `by` becomes the tool's owner if the change redirects the tool or, unless `by` is the root
 * key, if there is a new `credential`. Returns false and writes nothing if the tool is no longer at `versionBefore` (0
 * for a new tool).
 */
export async function saveTool(
  db: Database,
  { tool, capabilities: list }: ToolWithCapabilities,
  changes: ToolChanges,
  terms: {
    readonly versionBefore: number;
    readonly by: string;
    readonly credential?: SealedCredential | null;
  },
  batch: AuditedBatch,
): Promise<boolean> {
  const written = new Set([...changes.added, ...changes.changed, ...changes.moved]);
  const rows = list.flatMap((capability, position) =>
    written.has(capability.id) ? [{ toolId: tool.id, position, ...capability }] : [],
  );
  const row = toToolRow(tool);
  const isTakenOver =
    isRedirected(changes) || (Boolean(terms.credential) && takesOwnershipBySecret(terms.by));
  // Omit the column if the owner stays the same, because setting new credentials can change the owner without a new
  // version.
  const { createdBy: _createdBy, ...kept } = row;
  const set = isTakenOver ? { ...kept, createdBy: terms.by } : kept;
  const isRemoved = and(
    eq(capabilitiesTable.toolId, tool.id),
    sql`${capabilitiesTable.id} IN ${jsonList(changes.removed)}`,
  );
  return commitIfCurrent(
    batch(
      [
        requireVersion(db, tool.id, terms.versionBefore),
        db.insert(toolsTable).values(row).onConflictDoUpdate({ target: toolsTable.id, set }),
        ...(changes.removed.length === 0 ? [] : [db.delete(capabilitiesTable).where(isRemoved)]),
        ...toJsonChunks(rows).map((portion) => upsertCapabilities(db, portion)),
        ...(changes.newOrigins.length === 0
          ? []
          : [db.delete(credentialsTable).where(eq(credentialsTable.toolId, tool.id))]),
        ...(terms.credential ? [buildCredentialUpsert(db, tool, terms.credential)] : []),
      ],
      1,
    ),
  );
}

/**
 * Retires a tool and deletes its credentials. Its id stays reserved. Returns false if the tool is no longer at
 * `version`.
 */
export async function retireToolRow(
  db: Database,
  { id, name, version }: { id: string; name: string; version: number },
  now: number,
  batch: AuditedBatch,
): Promise<boolean> {
  return commitIfCurrent(
    batch(
      [
        requireVersion(db, id, version),
        db.insert(retiredToolsTable).values({ id, name, version, retiredAt: now }),
        db.delete(toolsTable).where(eq(toolsTable.id, id)),
        db.delete(capabilitiesTable).where(eq(capabilitiesTable.toolId, id)),
        db.delete(credentialsTable).where(eq(credentialsTable.toolId, id)),
      ],
      1,
    ),
  );
}

/**
 * A batch cannot be conditional. If the version has changed, this statement parses invalid JSON, which makes the whole
 * batch fail.
 */
function requireVersion(db: Database, id: string, version: number) {
  const now = sql`coalesce((SELECT version FROM tools WHERE id = ${id}), 0)`;
  const retired = sql`EXISTS (SELECT 1 FROM retired_tools WHERE id = ${id})`;
  const verdict = sql`json(CASE WHEN ${now} = ${version} AND NOT ${retired} THEN '1' ELSE ${VERSION_CHANGED} END)`;
  return db.select({ verdict }).from(sql`(SELECT 1)`);
}

const VERSION_CHANGED = "the tool has changed";

async function commitIfCurrent(batch: Promise<unknown>): Promise<boolean> {
  try {
    await batch;
    return true;
  } catch (error) {
    if (isMalformedJson(error)) return false;
    throw error;
  }
}

function isMalformedJson(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return error.message.includes("malformed JSON") || isMalformedJson(error.cause);
}

/** Splits rows into JSON arrays that each fit into one bound parameter. */
function toJsonChunks(rows: readonly object[]): string[] {
  const portions: string[][] = [];
  let bytes = Infinity;
  for (const row of rows) {
    const text = JSON.stringify(row);
    bytes += text.length;
    if (bytes > CHUNK_CHARACTERS_MAX) {
      portions.push([]);
      bytes = text.length;
    }
    portions.at(-1)?.push(text);
  }
  return portions.map((portion) => `[${portion.join(",")}]`);
}

/** D1 binds at most 2 MB of text, and a UTF-16 code unit takes up to three bytes. */
const CHUNK_CHARACTERS_MAX = 600_000;

function upsertCapabilities(db: Database, portion: string) {
  const { toolId: _toolId, id: _id, ...rest } = getTableColumns(capabilitiesTable);
  return db
    .insert(capabilitiesTable)
    .select(
      sql`SELECT value->>'toolId', value->>'id', value->>'position', value->>'name', value->>'description',
                 value->'parameters', value->'operation'
          FROM json_each(${portion}) WHERE true`,
    )
    .onConflictDoUpdate({
      target: [capabilitiesTable.toolId, capabilitiesTable.id],
      set: Object.fromEntries(
        Object.entries(rest).map(([key, column]) => [key, sql.raw(`excluded.${column.name}`)]),
      ),
    });
}

/** The data for one invocation, read with one query. */
export interface InvocationContext {
  readonly tool: RegisteredTool;
  readonly capability: StoredCapability | null;
  /** The tool's sealed credential. */
  readonly credential: typeof credentialsTable.$inferSelect | null;
  readonly grant: { readonly capabilities: readonly string[] | null } | null;
  /** The calling agent's entry in the registry; null if the agent is unknown or there is none. */
  readonly agent: CallingAgent | null;
  /** Whether other agents also have a grant for the tool. */
  readonly isShared: boolean;
  /** Whether any of the key's agents may use the tool; true for unbound keys. */
  readonly visible: boolean;
  /** The policies in force that cover the call. */
  readonly policies: readonly Policy[];
  /** The spending limits in force that cover the call. */
  readonly limits: readonly LimitTerms[];
}

export async function loadInvocationContext(
  db: Database,
  call: { toolId: string; capability: string; agentId: string | null; keyId: string | null },
  visibleAgentIds: readonly string[] | null,
): Promise<InvocationContext | null> {
  const visible =
    visibleAgentIds === null ? sql<number>`1` : sql<number>`${isGrantedToAny(visibleAgentIds)}`;
  const row = await db
    .select({
      tool: toolsTable,
      capability: capabilitiesTable,
      grant: grantsTable,
      credential: credentialsTable,
      agent: {
        id: agentsTable.id,
        enabled: agentsTable.enabled,
        pause: agentsTable.pause,
        executor: agentsTable.executor,
        requireTask: agentsTable.requireTask,
      },
      isShared: sql<number>`EXISTS(SELECT 1 FROM grants AS g WHERE g.tool_id = ${toolsTable.id} AND g.agent_id <> ${call.agentId ?? ""})`,
      visible,
      policies: sql<string>`(SELECT json_group_array(json_object('id', policies.id, 'effect', policies.effect, 'when', json(policies.condition), 'reason', policies.reason, 'approvers', json(policies.approvers), 'approvals', policies.approvals, 'expiresAfter', policies.expires_after, 'remember', policies.remember, 'updatedAt', policies.updated_at)) FROM policies WHERE ${coversCallSql(call)})`,
      limits: coveringLimitsSql({ ...call, measures: ["usd", "calls"] }),
    })
    .from(toolsTable)
    .leftJoin(
      capabilitiesTable,
      and(eq(capabilitiesTable.toolId, toolsTable.id), eq(capabilitiesTable.id, call.capability)),
    )
    .leftJoin(
      grantsTable,
      and(eq(grantsTable.toolId, toolsTable.id), eq(grantsTable.agentId, call.agentId ?? "")),
    )
    .leftJoin(agentsTable, eq(agentsTable.id, call.agentId ?? ""))
    .leftJoin(credentialsTable, eq(credentialsTable.toolId, toolsTable.id))
    .where(eq(toolsTable.id, call.toolId))
    .get();
  if (row === undefined) return null;
  return {
    tool: toRegisteredTool(row.tool),
    capability: row.capability === null ? null : toStoredCapability(row.capability),
    credential: row.credential,
    grant: row.grant,
    agent: row.agent === null ? null : toCallingAgent(row.agent),
    isShared: row.isShared === 1,
    visible: row.visible === 1,
    policies: JSON.parse(row.policies),
    limits: JSON.parse(row.limits),
  };
}

function toCallingAgent({
  pause,
  ...agent
}: Omit<CallingAgent, "isPaused"> & { readonly pause: Pause | null }): CallingAgent {
  return { ...agent, isPaused: pause !== null };
}

/** The condition that at least one of the agents may use the tool. */
export function isGrantedToAny(agentIds: readonly string[]): SQL {
  return sql`${toolsTable.id} IN (SELECT tool_id FROM grants WHERE agent_id IN ${jsonList(agentIds)})`;
}
