import type { TaskCommand } from "./command.ts";
import type { Failure } from "../../kernel/failure.ts";
import { formatBinding, type Viewer } from "../../keys/model/key.ts";
import type { AgentTerms } from "../../agents/model/agent.ts";
import type { JsonObject } from "../../kernel/json.ts";
import type { PastAttempt, Task } from "./task.ts";

type HandoverFields = Pick<Task, "lastAgentId" | "assignedSinceSeq">;

/** Returns the updated fields that determine which events are hidden from the task's current agent. */
export function updateHandover({
  agentId,
  lastAgentId,
  assignedSinceSeq,
  seq,
}: Task): HandoverFields {
  if (agentId === null || agentId === lastAgentId) return { lastAgentId, assignedSinceSeq };
  return { lastAgentId: agentId, assignedSinceSeq: lastAgentId === null ? assignedSinceSeq : seq };
}

/**
 * The `work` that a newly assigned agent receives. Only the agent that wrote it may read it, and only if its executor
 * type is still the same, because executors trust their own checkpoints.
 */
export function selectInheritedWork(
  task: Task,
  agentId: string,
  { executor }: AgentTerms,
): JsonObject {
  const isWriter = agentId === task.lastAgentId && executor === task.terms.executor;
  return isWriter ? task.work : {};
}

/**
 * The `seq` of the first event in a task's log that a key may see. Keys that are not bound to an agent see all events.
 */
export function findFirstVisibleSeq({ agentId }: Viewer, { assignedSinceSeq }: Task): number {
  return agentId === null ? 0 : assignedSinceSeq;
}

const OTHER_AGENT_FAILED = "Another agent's attempt failed.";

/**
 * An earlier attempt as a key may see it. A key bound to an agent sees the times, error code and reviewer's comment of
 * another agent's attempt, but not the agent or its error message.
 */
export function toVisibleAttempt({ agentId }: Viewer, earlier: PastAttempt): PastAttempt {
  if (agentId === null || earlier.agentId === null || earlier.agentId === agentId) return earlier;
  const { code, retryable, message } = earlier.error;
  const words = code === "REVIEW_REJECTED" ? message : OTHER_AGENT_FAILED;
  const error = { code, retryable, message: words };
  return { ...earlier, agentId: null, agentName: null, error };
}

/** Why a viewer may not send a command, or null. A key bound to an agent cannot give the task to another agent. */
export function checkAgentBinding(viewer: Viewer, command: TaskCommand): Failure | null {
  const { agentId } = viewer;
  if (agentId === null) return null;
  if (command.type === "update") {
    const { choice } = command;
    if (choice === undefined || choice.agentId === agentId) return null;
    return { kind: "agent_mismatch", path: "agentId", bound: formatBinding(viewer) };
  }
  if (command.type !== "retry") return null;
  const { reassign, choice } = command;
  const leavesAgent = reassign || (choice !== null && choice.agentId !== agentId);
  return leavesAgent ? { kind: "reassign_by_agent", agentId } : null;
}
