import { getDatabase } from "../platform/d1/client.ts";
import {
  findAgentAccess,
  selectGrantedCapabilities,
  selectGrantedIds,
  type GrantedTool,
} from "./access.store.ts";
import type { CataloguePosition, GrantedCapability } from "./model/access.ts";

type AccessEnv = Pick<Env, "DB">;

/** The tools that an agent may use; null for an agent that is unknown or disabled. */
export async function findUsableTools(
  env: AccessEnv,
  agentId: string,
): Promise<readonly GrantedTool[] | null> {
  const access = await findAgentAccess(getDatabase(env.DB), agentId);
  return access === null || !access.enabled ? null : access.tools;
}

/** The first capabilities that match a search, and how many match; null for an agent that is unknown or disabled. */
export async function searchGrantedCapabilities(
  env: AccessEnv,
  agentId: string,
  { search, limit }: { readonly search: string | null; readonly limit: number },
): Promise<{ shown: GrantedCapability[]; total: number } | null> {
  const part = { search: search ?? "" };
  const page = await selectGrantedCapabilities(getDatabase(env.DB), agentId, part, limit);
  return page.isAgentEnabled === true ? { shown: page.shown, total: page.total ?? 0 } : null;
}

/** A page of the capabilities that an agent may use, or of all if `agentId` is null; null for an unknown agent. */
export async function listGrantedCapabilities(
  env: AccessEnv,
  agentId: string | null,
  { after, limit }: { readonly after: CataloguePosition; readonly limit: number },
): Promise<{ shown: GrantedCapability[]; next: CataloguePosition | null } | null> {
  const page = await selectGrantedCapabilities(getDatabase(env.DB), agentId, { after }, limit);
  return agentId !== null && page.isAgentEnabled === null ? null : page;
}

/** The ids of granted capabilities with names like a pattern; see `selectGrantedIds`. */
export function findGrantedIds(
  env: AccessEnv,
  agentId: string | null,
  like: { readonly toolPrefix: string; readonly pattern: string },
): Promise<{ toolId: string; id: string }[]> {
  return selectGrantedIds(getDatabase(env.DB), agentId, like);
}
