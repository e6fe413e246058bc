import type { Failure } from "../kernel/failure.ts";
import { fail, ok, type Result } from "../kernel/result.ts";
import type { Invocation } from "./model/invocation.ts";
import type { StoredCapability } from "./model/tool.ts";
import type { InvocationContext } from "./tools.store.ts";

export type AuthorizedContext = InvocationContext & { readonly capability: StoredCapability };

/**
 * Decides whether a call may be made. `context` contains what is known about the call's tool, capability, agent and
 * grant; null if the tool is unknown. A call without an agent needs no grant.
 */
export function authorize(
  context: InvocationContext | null,
  { toolId, capability, agentId }: Pick<Invocation, "toolId" | "capability" | "agentId">,
): Result<AuthorizedContext, Failure> {
  if (context === null || !context.visible)
    return fail({ kind: "not_found", what: "tool", id: toolId });
  if (context.capability === null)
    return fail({ kind: "not_found", what: "capability", id: capability });
  if (agentId !== null) {
    if (context.agent === null) return fail({ kind: "not_found", what: "agent", id: agentId });
    if (!context.agent.enabled) return fail({ kind: "agent_disabled", agentId });
    if (context.agent.isPaused) return fail({ kind: "agent_paused", agentId });
    if (context.grant === null) return fail({ kind: "tool_access_denied", agentId, toolId });
    const granted = context.grant.capabilities;
    if (granted !== null && !granted.includes(capability)) {
      return fail({ kind: "capability_not_granted", agentId, toolId, capability, granted });
    }
  }
  return ok({ ...context, capability: context.capability });
}
