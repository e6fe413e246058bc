import type { JsonObject } from "../../kernel/json.ts";
import { agentError } from "./attempts.ts";
import type { RetryCause, TaskEventData } from "./events.ts";
import type { AgentChoice, Task } from "./task.ts";

/** Takes back a task that the agent has not started. The task is assigned again in the same attempt. */
export function takeBack(agentId: string, reason: string): TaskEventData["declined"] {
  return { cause: "taken_back", agentId, reason, excludes: false };
}

/** Takes back a task that the agent has started. The task is assigned again in a new attempt. */
export function restart(task: Task, reason: string, now: number): TaskEventData["retried"] {
  const lost = { error: agentError(reason), notBefore: now };
  return automaticRetry(task, "agent_changed", null, lost);
}

/** The data of the event that begins the next attempt after a lost one. `choice`: null to assign any agent. */
export function automaticRetry(
  task: Task,
  cause: RetryCause,
  choice: AgentChoice | null,
  automatic: NonNullable<TaskEventData["retried"]["automatic"]>,
): TaskEventData["retried"] {
  const attempt = task.attempt + 1;
  return { cause, attempt, reassign: false, choice, context: null, automatic };
}

/** Returns a task to the queue of its agent, which is paused. The attempt continues when the agent is resumed. */
export function returnToPaused(agentId: string, work: JsonObject): TaskEventData["declined"] {
  const reason = "The agent is paused.";
  const returned = { cause: "returned", excludes: false, released: true } as const;
  return { ...returned, agentId, reason, paused: true, work };
}
