import type { Viewer } from "./key.ts";
import type { EarlierAttempt, Task } from "./task.ts";

type Handover = Pick<Task, "lastAgentId" | "agentSince">;

/** What the agent of a task may see of its log after an event: nothing from before it got the task. */
export function handedOver({ agentId, lastAgentId, agentSince, seq }: Task): Handover {
  if (agentId === null || agentId === lastAgentId) return { lastAgentId, agentSince };
  return { lastAgentId: agentId, agentSince: lastAgentId === null ? agentSince : seq };
}

/** The first event of a task's log that a key may see; keys that are not bound to an agent see all. */
export function firstVisibleSeq({ agentId }: Viewer, { agentSince }: Task): number {
  return agentId === null ? 0 : agentSince;
}

const OTHERS_FAILURE = "The attempt of another agent failed.";

/**
 * An earlier attempt as a key may see it. A key bound to an agent learns of another agent's attempt when
 * it was made and that it failed, with the words of the reviewer; not who made it, nor its own words.
 */
export function visibleAttempt({ agentId }: Viewer, earlier: EarlierAttempt): EarlierAttempt {
  if (agentId === null || earlier.agentId === null || earlier.agentId === agentId) return earlier;
  const { code, retryable, message } = earlier.error;
  const words = code === "REVIEW_REJECTED" ? message : OTHERS_FAILURE;
  const error = { code, retryable, message: words };
  return { ...earlier, agentId: null, agentName: null, error };
}
