import { checkNewAgentId } from "../agents/read-agent.ts";
import type { Failure } from "../kernel/failure.ts";
import { audited, type AuditEnv } from "../governance/audit/audited.ts";
import type { Actor } from "../governance/model/audit-entry.ts";
import { fail, ok, type Result } from "../kernel/result.ts";
import { getDatabase, type DirectoryEnv } from "../platform/d1/client.ts";
import {
  deleteGrant,
  findAgentAccess,
  findGrant,
  findGrantTargets,
  saveGrant,
  selectGrantedCapabilities,
  selectGrantedIds,
  type Grant,
  type GrantedTool,
} from "./access.store.ts";
import type { CataloguePosition, GrantedCapability } from "./model/tool.ts";

type AccessEnv = Pick<Env, "DB">;

/**
 * Saves a grant, and the agent if it is new. Replaces an earlier grant. `usable` contains the capabilities that the
 * agent may now use.
 */
export async function grantAccess(
  env: DirectoryEnv & AuditEnv,
  grant: Grant,
  by: Actor,
): Promise<Result<{ usable: readonly string[]; replaced: boolean }, Failure>> {
  const { agentId, toolId } = grant;
  const known = await findGrantTargets(getDatabase(env.DB), grant);
  if (!known.hasTool) return fail({ kind: "not_found", what: "tool", id: toolId });
  const unknown = grant.capabilities?.find((id) => !known.capabilities.includes(id));
  if (unknown !== undefined) return fail({ kind: "not_found", what: "capability", id: unknown });
  const unused = known.hasAgent ? ok(null) : await checkNewAgentId(env, agentId);
  if (!unused.ok) return unused;
  const db = getDatabase(env.DB);
  const saved = await audited(env, by, async (record) => {
    const before = await findGrant(db, agentId, toolId);
    const batch = record({
      action: before === null ? "grant.created" : "grant.changed",
      subjectId: `${agentId}/${toolId}`,
      before: before && stateOf(before),
      after: { ...stateOf(grant), agentIsNew: known.hasAgent ? undefined : true },
    });
    return { isSaved: await saveGrant(db, grant, by.keyId, batch), replaced: before !== null };
  });
  if (!saved.isSaved) return fail({ kind: "agent_exists", agentId, deleted: true });
  return ok({ usable: grant.capabilities ?? known.capabilities, replaced: saved.replaced });
}

/** Revokes a grant. Returns false if there is none. */
export async function revokeAccess(
  env: AuditEnv,
  { agentId, toolId }: Pick<Grant, "agentId" | "toolId">,
  by: Actor,
): Promise<boolean> {
  const db = getDatabase(env.DB);
  return audited(env, by, async (record) => {
    const before = await findGrant(db, agentId, toolId);
    if (before === null) return false;
    const entry = { subjectId: `${agentId}/${toolId}`, before: stateOf(before) };
    await deleteGrant(db, agentId, toolId, record({ action: "grant.revoked", ...entry }));
    return true;
  });
}

/** A grant's state in the audit log. */
function stateOf({ proficiency, capabilities }: Grant) {
  return { proficiency, capabilities: capabilities ?? "all" };
}

/** The tools that an agent may use; null if the agent is unknown or disabled. */
export async function findUsableTools(
  env: AccessEnv,
  agentId: string,
): Promise<readonly GrantedTool[] | null> {
  const access = await findAgentAccess(getDatabase(env.DB), agentId);
  return access === null || !access.enabled ? null : access.tools;
}

/** The first capabilities that match a search, and the number of matches; null if the agent is unknown or disabled. */
export async function searchGrantedCapabilities(
  env: AccessEnv,
  agentId: string,
  { search, limit }: { readonly search: string | null; readonly limit: number },
): Promise<{ capabilities: GrantedCapability[]; total: number } | null> {
  const part = { search: search ?? "" };
  const page = await selectGrantedCapabilities(getDatabase(env.DB), agentId, part, limit);
  return page.isAgentEnabled === true
    ? { capabilities: page.capabilities, total: page.total }
    : null;
}

/**
 * A page of the capabilities that an agent may use, or of all capabilities if `agentId` is null. Returns null for an
 * unknown agent.
 */
export async function listGrantedCapabilities(
  env: AccessEnv,
  agentId: string | null,
  { after, limit }: { readonly after: CataloguePosition; readonly limit: number },
): Promise<{ capabilities: GrantedCapability[]; next: CataloguePosition | null } | null> {
  const page = await selectGrantedCapabilities(getDatabase(env.DB), agentId, { after }, limit);
  return agentId !== null && page.isAgentEnabled === null ? null : page;
}

/**
 * The ids of capabilities that match a pattern, limited to those that an agent may use unless `agentId` is null; see
 * `selectGrantedIds`.
 */
export function findGrantedIds(
  env: AccessEnv,
  agentId: string | null,
  like: { readonly toolPrefix: string; readonly pattern: string },
): Promise<{ toolId: string; id: string }[]> {
  return selectGrantedIds(getDatabase(env.DB), agentId, like);
}
