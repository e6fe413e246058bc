import type * as z from "zod";
import type { Failure } from "../../kernel/failure.ts";
import { fail, ok, preview, type Result } from "../../kernel/result.ts";
import { toWireError } from "../../http/to-wire-error.ts";
import { canActAs, type Key } from "../../keys/model/key.ts";
import { getDatabase } from "../../platform/d1/client.ts";
import { authorize } from "../authorize.ts";
import { loadInvocationContext } from "../tools.store.ts";
import { selectGrants } from "./grants.store.ts";
import { accessGrantView } from "./list-grants.ts";
import type { AccessExplanationResponse, explainAccessQuery } from "./schemas.ts";

type ExplainQuery = z.output<typeof explainAccessQuery>;

/**
 * Makes the authorization decision of a call, without making the call. Fails if the key may not see the agent or the
 * tool, or if one of the three does not exist.
 */
export async function explainAccess(
  env: Pick<Env, "DB">,
  key: Key,
  query: ExplainQuery,
): Promise<Result<AccessExplanationResponse, Failure>> {
  const { agentId, toolId } = query;
  if (!canActAs(key, agentId)) return fail({ kind: "not_found", what: "agent", id: agentId });
  const db = getDatabase(env.DB);
  const filter = { agentIds: [agentId], toolId, capability: null };
  const [context, [grant = null]] = await Promise.all([
    loadInvocationContext(db, { ...query, keyId: null }, key.agentIds),
    selectGrants(db, filter, null, 1),
  ]);
  const decision = authorize(context, query);
  const shownGrant = grant === null ? null : accessGrantView(grant);
  if (decision.ok) {
    const listed = decision.value.grant?.capabilities ?? null;
    return ok({ allowed: true, reason: explainGrant(query, listed), grant: shownGrant });
  }
  const { failure } = decision;
  const code = denialCodeOf(failure);
  if (code === null) return decision;
  const reason = { code, message: toWireError(failure).message };
  return ok({ allowed: false, reason, grant: shownGrant });
}

type Reason = AccessExplanationResponse["reason"];

/** The error code of a call that the agent or its grant does not allow; null for any other failure. */
function denialCodeOf({ kind }: Failure): Reason["code"] | null {
  switch (kind) {
    case "agent_disabled":
      return "AGENT_DISABLED";
    case "agent_paused":
      return "AGENT_PAUSED";
    case "tool_access_denied":
      return "TOOL_ACCESS_DENIED";
    case "capability_not_granted":
      return "CAPABILITY_NOT_GRANTED";
    default:
      return null;
  }
}

/** `listed`: the capabilities that the grant lists; null if it covers all. */
function explainGrant(
  { agentId, toolId, capability }: ExplainQuery,
  listed: readonly string[] | null,
): Reason {
  const [agent, tool] = [preview(agentId), preview(toolId)];
  if (listed === null) {
    const message = `Agent ${agent} has a grant of all capabilities of tool ${tool}.`;
    return { code: "ALL_CAPABILITIES_GRANTED", message };
  }
  const message = `Agent ${agent} has a grant of tool ${tool} that lists capability ${preview(capability)}.`;
  return { code: "CAPABILITY_GRANTED", message };
}
