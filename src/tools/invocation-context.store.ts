import { and, eq, sql } from "drizzle-orm";
import type { Database } from "../platform/d1/client.ts";
import {
  agentsTable,
  capabilitiesTable,
  credentialsTable,
  grantsTable,
  toolsTable,
} from "../platform/d1/schema.ts";
import { isGrantedToAny } from "./catalogue.store.ts";
import type { Capability } from "./model/capability.ts";
import type { CapabilityOperation } from "./model/connector.ts";
import type { CallingAgent } from "./model/invocation.ts";
import type { RegisteredTool } from "./model/tool.ts";
import { toPublicCapability, toRegisteredTool } from "./tools.store.ts";

/** What one invocation needs to know, in one query. */
export interface InvocationContext {
  readonly tool: RegisteredTool;
  readonly capability: Capability | null;
  readonly operation: CapabilityOperation | null;
  /** What the tool authenticates with, sealed. */
  readonly credential: typeof credentialsTable.$inferSelect | null;
  readonly grant: { readonly capabilities: readonly string[] | null } | null;
  /** The calling agent's entry in the registry; null if it is unknown. */
  readonly agent: CallingAgent | null;
  /** Whether other agents have been granted the tool. */
  readonly isShared: boolean;
  /** Whether any of the key's agents may use the tool; true for unbound keys. */
  readonly visible: boolean;
}

export async function loadInvocationContext(
  db: Database,
  call: { toolId: string; capability: string; agentId: string | null },
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
        executor: agentsTable.executor,
        requireTask: agentsTable.requireTask,
      },
      isShared: sql<number>`EXISTS(SELECT 1 FROM grants AS g WHERE g.tool_id = ${toolsTable.id} AND g.agent_id <> ${call.agentId ?? ""})`,
      visible,
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
    capability: row.capability === null ? null : toPublicCapability(row.capability),
    operation: row.capability?.operation ?? null,
    credential: row.credential,
    grant: row.grant,
    agent: row.agent,
    isShared: row.isShared === 1,
    visible: row.visible === 1,
  };
}
