import type { Command } from "./commands.ts";
import type { Failure } from "./failure.ts";
import type { Viewer } from "./key.ts";

/**
 * Why a key bound to an agent may not send a command to a task of its agent, or null. Such a key cannot
 * give the task to another agent.
 */
export function bindingFailure({ agentId }: Viewer, command: Command): Failure | null {
  if (agentId === null || command.type !== "retry") return null;
  const { reassign, choice } = command;
  const leavesAgent = reassign || (choice !== null && choice.agentId !== agentId);
  return leavesAgent ? { kind: "reassign_by_agent", agentId } : null;
}
