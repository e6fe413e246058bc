import type { AgentTerms } from "./agent.ts";
import type { JsonObject } from "./json.ts";
import type { Viewer } from "./key.ts";
import type { EarlierAttempt, Task } from "./task.ts";

type Handover = Pick<Task, "lastAgentId" | "agentSince">;

/** The fields that hide the log from before a task's agent got the task, as of an event. */
export function handedOver({ agentId, lastAgentId, agentSince, seq }: Task): Handover {
  if (agentId === null || agentId === lastAgentId) return { lastAgentId, agentSince };
  return { lastAgentId: agentId, agentSince: lastAgentId === null ? agentSince : seq };
}

/**
 * The `work` that an assignment passes on. Only the agent that wrote it may read it, and only while its executor
 * has the same type, because an executor trusts its own checkpoints.
 */
export function workFor(task: Task, agentId: string, { executor }: AgentTerms): JsonObject {
  const isWriter = agentId === task.lastAgentId && executor === task.terms.executor;
  return isWriter ? task.work : {};
}

/** The first event of a task's log that a key may see; keys that are not bound to an agent see all events. */
export function firstVisibleSeq({ agentId }: Viewer, { agentSince }: Task): number {
  return agentId === null ? 0 : agentSince;
}

const OTHERS_FAILURE = "The attempt of another agent failed.";

/**
 * An earlier attempt as a key may see it. A key bound to an agent sees when another agent's attempt was made,
 * its error code and the reviewer's comment, but not the agent or its error message.
 */
export function visibleAttempt({ agentId }: Viewer, earlier: EarlierAttempt): EarlierAttempt {
  if (agentId === null || earlier.agentId === null || earlier.agentId === agentId) return earlier;
  const { code, retryable, message } = earlier.error;
  const words = code === "REVIEW_REJECTED" ? message : OTHERS_FAILURE;
  const error = { code, retryable, message: words };
  return { ...earlier, agentId: null, agentName: null, error };
}
