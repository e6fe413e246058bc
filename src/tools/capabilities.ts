import { and, eq, sql, type SQL } from "drizzle-orm";
import type { Database } from "../db/client.ts";
import { capabilities, tools } from "../db/schema.ts";
import type { StoredCapability } from "../domain/tool.ts";
import { grantedToAny, onPage } from "./catalogue.ts";
import { capabilityIn } from "./rows.ts";

/**
 * A page of a tool's capabilities, in their order, and how many match; null as `findTool`. A page of very
 * large ones ends early; `nextOffset` tells where the next begins.
 */
export async function listCapabilities(
  db: Database,
  toolId: string,
  { search, limit, offset }: { search: string | undefined; limit: number; offset: number },
  visibleAgentIds: readonly string[] | null,
): Promise<{
  capabilities: StoredCapability[];
  total: number;
  nextOffset: number | null;
} | null> {
  const where = and(
    eq(capabilities.toolId, toolId),
    search === undefined ? undefined : holding(search),
  );
  const [[tool], list, [count]] = await db.batch([
    visibleTool(db, toolId, visibleAgentIds),
    db
      .select()
      .from(capabilities)
      .where(and(eq(capabilities.toolId, toolId), onPage(where, { limit, offset })))
      .orderBy(capabilities.position),
    db
      .select({ total: sql<number>`count(*)` })
      .from(capabilities)
      .where(where),
  ]);
  if (tool === undefined) return null;
  const total = count?.total ?? 0;
  const next = offset + list.length;
  const nextOffset = list.length > 0 && next < total ? next : null;
  return { capabilities: list.map(capabilityIn), total, nextOffset };
}

/** One capability; `tool` false when the tool itself is not there to see. */
export async function findCapability(
  db: Database,
  toolId: string,
  id: string,
  visibleAgentIds: readonly string[] | null,
): Promise<{ tool: boolean; capability: StoredCapability | null }> {
  const [[tool], [found]] = await db.batch([
    visibleTool(db, toolId, visibleAgentIds),
    db
      .select()
      .from(capabilities)
      .where(and(eq(capabilities.toolId, toolId), eq(capabilities.id, id))),
  ]);
  const capability = found === undefined ? null : capabilityIn(found);
  return { tool: tool !== undefined, capability: tool === undefined ? null : capability };
}

function visibleTool(db: Database, id: string, visibleAgentIds: readonly string[] | null) {
  const seen = visibleAgentIds === null ? undefined : grantedToAny(visibleAgentIds);
  return db
    .select({ id: tools.id })
    .from(tools)
    .where(and(eq(tools.id, id), seen));
}

/** One tool has at most a few thousand capabilities, so that reading them is its own bound. */
function holding(search: string): SQL {
  const text = search.toLowerCase();
  const { id, name, description } = capabilities;
  return sql`instr(lower(${id} || char(31) || ${name} || char(31) || ${description}), ${text}) > 0`;
}
