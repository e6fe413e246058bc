import { hasQueue } from "../../agents/model/agent.ts";
import { isOverBudget } from "./budget.ts";
import { isAwaitingAgent, slotOf, type Task } from "./task.ts";

/** What a queue needs to know about a task: whether it is waiting there, and whether its budget is used up. */
export interface QueueUpdate {
  readonly agentIds: readonly string[];
  readonly seq: number;
  readonly isIn: boolean;
  readonly overBudget: boolean;
}

/**
 * The update to send to the task's queues; null if they are up to date. `published`: the last update sent; null if
 * unknown.
 */
export function pendingQueueUpdate(task: Task, published: QueueUpdate | null): QueueUpdate | null {
  const slot = slotOf(task);
  const seq = task.queueVersion;
  if (slot === "active") return null;
  if (slot === "queued") {
    const isKnown = published?.isIn === true && published.seq >= seq;
    return isKnown || task.agentId === null
      ? null
      : { agentIds: [task.agentId], seq, isIn: true, overBudget: false };
  }
  const agentIds = published?.agentIds ?? listAgentIdsToNotify(task);
  if (agentIds.length === 0) return null;
  const overBudget = isOverBudget(task);
  const isKnown = published?.isIn === false && published.overBudget === overBudget;
  return isKnown ? null : { agentIds, seq, isIn: false, overBudget };
}

/**
 * The agents whose queues may still contain a task that is not waiting there. The queues of earlier attempts, and of the
 * agent that a client took the task from, remove the task before work starts, but may contain it until then.
 */
function listAgentIdsToNotify(task: Task): string[] {
  if (!mayBeQueued(task)) return [];
  const { status, agentId, startedAt, attempts, leftAgentId } = task;
  const former = [...attempts.map((attempt) => attempt.agentId), leftAgentId];
  const earlier = startedAt === null ? former : [];
  const all = status === "pending" ? earlier : [...earlier, agentId];
  return [...new Set(all)].filter((id) => id !== null);
}

function mayBeQueued({ status, attempts, leftAgentId, terms }: Task): boolean {
  const wasQueued = status === "pending" && (attempts.length > 0 || leftAgentId !== null);
  return (!isAwaitingAgent(status) || wasQueued) && hasQueue(terms);
}
