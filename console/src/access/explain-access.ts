import { api, dataOf } from "../api/client.ts";

export interface Question {
  readonly agentId: string;
  readonly toolId: string;
  readonly capability: string;
}

export interface Explanation {
  readonly allowed: boolean;
  /** The error code of a call that is rejected, or why a call is allowed. */
  readonly code: string;
  /** The reason as a sentence, and what to change. */
  readonly message: string;
}

/** The facts on which the decision depends. */
interface AccessFacts {
  readonly isEnabled: boolean;
  /** The ids of the granted capabilities; null if there is no grant of the tool. */
  readonly granted: readonly string[] | null;
  readonly totalCapabilities: number;
}

/** Decides as the API does: first the agent, then the grant, then the capability. */
export function decideAccess(
  { agentId, toolId, capability }: Question,
  { isEnabled, granted, totalCapabilities }: AccessFacts,
): Explanation {
  if (!isEnabled) {
    const message = `The agent "${agentId}" is disabled. Enable it to allow its calls.`;
    return { allowed: false, code: "AGENT_DISABLED", message };
  }
  if (granted === null) {
    const message = `The agent "${agentId}" has no access to the tool "${toolId}". Grant it.`;
    return { allowed: false, code: "TOOL_ACCESS_DENIED", message };
  }
  if (!granted.includes(capability)) {
    const message = `The grant covers ${granted.length} of ${totalCapabilities} capabilities, and not "${capability}". Add it to the grant.`;
    return { allowed: false, code: "CAPABILITY_NOT_GRANTED", message };
  }
  if (granted.length === totalCapabilities) {
    const message = `The agent "${agentId}" may use all capabilities of the tool "${toolId}".`;
    return { allowed: true, code: "ALL_CAPABILITIES_GRANTED", message };
  }
  const message = `The grant of the tool "${toolId}" covers "${capability}".`;
  return { allowed: true, code: "CAPABILITY_GRANTED", message };
}

/** Answers from what the API says about the agent, its access and the tool. Unknown names are errors of the API. */
export async function explainAccess(question: Question): Promise<Explanation> {
  const { agentId, toolId, capability } = question;
  const [agent, tool, access] = await Promise.all([
    dataOf(api.GET("/agents/{agentId}", { params: { path: { agentId } } })),
    dataOf(api.GET("/agents/tools/{id}", { params: { path: { id: toolId } } })),
    dataOf(api.GET("/agents/tools/access/{agentId}", { params: { path: { agentId } } })),
    dataOf(
      api.GET("/agents/tools/{id}/capabilities/{capability}", {
        params: { path: { id: toolId, capability } },
      }),
    ),
  ]);
  return decideAccess(question, {
    isEnabled: agent.enabled,
    granted: access.tools.find(({ id }) => id === toolId)?.capabilities ?? null,
    totalCapabilities: tool.totalCapabilities,
  });
}
