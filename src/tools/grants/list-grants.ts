import type * as z from "zod";
import { createFieldFailure, type Failure } from "../../kernel/failure.ts";
import { fail, ok, preview, type Result } from "../../kernel/result.ts";
import { toIsoTime } from "../../kernel/text.ts";
import { decodeCursor, encodeCursor, type CursorScope } from "../../http/cursor.ts";
import { getDatabase } from "../../platform/d1/client.ts";
import type { Key } from "../../keys/model/key.ts";
import {
  selectGrants,
  type GrantFilter,
  type GrantPosition,
  type NamedGrant,
} from "./grants.store.ts";
import type { AccessGrantResponse, GrantListResponse, listGrantsQuery } from "./schemas.ts";

/** One page of the grants that a key may see, ordered by agent and then by tool. */
export async function listGrants(
  env: Pick<Env, "DB" | "SIGNING_KEY">,
  key: Pick<Key, "agentIds">,
  query: z.output<typeof listGrantsQuery>,
): Promise<Result<GrantListResponse, Failure>> {
  const { agentId: agentIds = null, toolId = null, capability = null, cursor, limit } = query;
  const scope = cursorScopeOf({ agentIds, toolId, capability });
  const after = cursor === undefined ? null : readPosition(env.SIGNING_KEY, scope, cursor);
  if (cursor !== undefined && after === null) {
    const rule = "must be a nextCursor from a request with the same filters";
    return fail(createFieldFailure("cursor", `${rule}, got ${preview(cursor)}`));
  }
  const filter = { agentIds: intersect(key.agentIds, agentIds), toolId, capability };
  // Read one more row than the limit to find out whether there is a next page.
  const rows = await selectGrants(getDatabase(env.DB), filter, after, limit + 1);
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  const nextCursor =
    rows.length > limit && last !== undefined
      ? encodeCursor(env.SIGNING_KEY, scope, `${last.agentId}\n${last.toolId}`)
      : null;
  return ok({ grants: shown.map(accessGrantView), nextCursor });
}

/** The requested agents that the key may see; null if both are all. */
function intersect(
  visible: readonly string[] | null,
  requested: readonly string[] | null,
): readonly string[] | null {
  if (visible === null || requested === null) return visible ?? requested;
  return requested.filter((id) => visible.includes(id));
}

export function accessGrantView(grant: NamedGrant): AccessGrantResponse {
  const { agentId, agentName, toolId, toolName, proficiency, capabilities, grantedAt } = grant;
  return {
    agentId,
    agentName,
    toolId,
    toolName,
    proficiency,
    allCapabilities: capabilities === null,
    capabilities: capabilities === null ? undefined : [...capabilities],
    grantedAt: toIsoTime(grantedAt),
  };
}

function cursorScopeOf(filter: GrantFilter): CursorScope {
  return { use: "grants", filter: [JSON.stringify(filter)] };
}

function readPosition(secret: string, scope: CursorScope, cursor: string): GrantPosition | null {
  const position = decodeCursor(secret, scope, cursor);
  if (position === null) return null;
  const [agentId = "", toolId = ""] = position.split("\n");
  return { agentId, toolId };
}
