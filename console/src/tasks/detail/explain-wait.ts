import type { Schemas } from "../../api/client.ts";
import { formatRelativeTime } from "../../ui/relative-time.ts";
import type { Task } from "../queries.ts";
import { claimOf } from "../waiting.ts";
import type { StatusAction, StatusExplanation } from "./status-explanation.ts";
import { canChangeAgent } from "./task-changes.ts";
import { count } from "../../tools/words.ts";
import { foreign, type Sentence } from "./text-parts.ts";

/** The properties of an agent that explain why a task waits for it. */
export type Assignee = Pick<
  Schemas["AgentDetail"],
  "enabled" | "maxConcurrentTasks" | "queue" | "online" | "lastSeenAt" | "workers"
>;

/** The task, its agent if that is known, and when the agent was read, in milliseconds since the epoch. */
interface Situation {
  readonly task: Task;
  readonly name: Sentence[number];
  readonly agent: Assignee | null;
  readonly now: number;
}

/** Says why a task waits for an agent or for its next turn or attempt; null if it does not. */
export function explainWait(
  task: Task,
  agent: Assignee | null,
  now: number,
): StatusExplanation | null {
  const situation: Situation = { task, name: nameOf(task), agent, now };
  const { waitingFor } = task;
  if (agent?.enabled === false) return explainDisabled(situation);
  switch (waitingFor?.kind) {
    case "agent":
      return explainAgentWait(waitingFor, situation);
    case "slot":
      return explainFull(situation);
    case "turn":
    case "retry":
      return {
        tone: "warning",
        sentence: [foreign(waitingFor.message)],
        actions: actionsFor(task, ["open_agent", "change_agent"]),
      };
    case "question":
    case "review":
    case undefined:
      return null;
  }
}

export function nameOf({ agentName, agentId }: Task): Sentence[number] {
  return foreign(agentName ?? agentId ?? "The agent");
}

function explainDisabled({ task, name }: Situation): StatusExplanation {
  return {
    tone: "warning",
    sentence: [name, " is disabled, so the task is waiting."],
    advice: `Enable the agent, or ${canChangeAgent(task) ? "give the task to another agent" : "cancel the task"}.`,
    actions: actionsFor(task, ["open_agent", "change_agent"]),
  };
}

function explainAgentWait(wait: Schemas["AgentWait"], situation: Situation): StatusExplanation {
  const { task, agent } = situation;
  switch (wait.reason) {
    case "unassigned":
      return {
        tone: "warning",
        sentence: ["No suitable agent is available."],
        advice:
          "Enable or register a suitable agent, grant an agent the tools that the task needs, or choose an agent. The service keeps searching for one.",
        actions: actionsFor(task, ["change_agent"]),
      };
    case "unavailable":
      return {
        tone: "warning",
        sentence: [foreign(wait.message)],
        advice: "Enable or register the agent, or give the task to another agent.",
        actions: actionsFor(task, ["open_agent", "change_agent"], wait.agentId),
      };
    case "unclaimed":
      if (isFull(agent)) return explainFull(situation);
      return explainUnclaimed(situation);
  }
}

function isFull(agent: Assignee | null): boolean {
  const slots = agent?.maxConcurrentTasks ?? Infinity;
  return (agent?.queue?.running ?? 0) >= slots;
}

/** A worker can claim the task, but none has. */
function explainUnclaimed({ task, name, agent, now }: Situation): StatusExplanation {
  const actions = actionsFor(task, ["open_agent", "change_agent"]);
  const orGive = canChangeAgent(task) ? ", or give the task to another agent" : "";
  if (agent?.online === false)
    return {
      tone: "warning",
      sentence: ["No worker of ", name, ` is online${lastSeen(agent, now)}.`],
      advice: `Start a worker for this agent${orGive}.`,
      actions,
    };
  const claim = claimOf(task);
  if (agent?.online !== true)
    return {
      tone: "warning",
      sentence: ["No worker of ", name, ` has ${claim} yet.`],
      advice: `Start a worker for this agent${orGive === "" ? ", or" : ","} check that its workers are running${orGive}.`,
      actions,
    };
  return {
    tone: "warning",
    sentence: ["A worker of ", name, ` is online but has not ${claim} yet.`],
    advice: `${adviseOnline(agent)} You can also start another worker${orGive}.`,
    actions,
  };
}

/** What to do if a worker is online: it may be working on other tasks, or it may have stopped. */
function adviseOnline({ workers = [] }: Assignee): string {
  const held = workers.reduce((sum, { taskIds }) => sum + taskIds.length, 0);
  if (held > 0 && !workers.some(({ waiting }) => waiting))
    return `The agent's workers hold ${count(held, "other task")} and may claim this one next.`;
  return "Check that the worker is still running and keeps claiming tasks.";
}

function lastSeen({ lastSeenAt }: Assignee, now: number): string {
  if (lastSeenAt === undefined) return "";
  return ` (last seen ${formatRelativeTime(Date.parse(lastSeenAt), now)})`;
}

/** All slots of the agent are in use. */
function explainFull({ task, name, agent }: Situation): StatusExplanation {
  const { maxConcurrentTasks: slots, queue } = agent ?? {};
  const details =
    queue && slots
      ? ` (${queue.running.toLocaleString("en")} of ${slots.toLocaleString("en")})`
      : "";
  const others = (queue?.waiting ?? 0) - 1;
  const competition =
    others > 0 ? ` ${count(others, "other task")} ${others === 1 ? "is" : "are"} waiting.` : "";
  const start = task.status === "in_progress" ? "continue" : "start";
  const orGive = canChangeAgent(task) ? ", give it to another agent" : "";
  return {
    tone: "neutral",
    sentence: [name, ` has reached its maximum of concurrent tasks${details}.`],
    advice: `The task ${start}s when one of these tasks ends.${competition} To ${start} it earlier, raise its priority${orGive}, or raise the agent's maximum.`,
    actions: actionsFor(task, ["open_agent", "change_agent", "change_priority"]),
  };
}

/** The actions that are possible: a task without an agent has none to open, and a started task keeps its agent. */
function actionsFor(
  task: Task,
  kinds: readonly StatusAction["kind"][],
  agentId = task.agentId,
): readonly StatusAction[] {
  return kinds.flatMap((kind): StatusAction[] => {
    switch (kind) {
      case "open_agent":
        return agentId === undefined ? [] : [{ kind, agentId }];
      case "change_agent":
        return canChangeAgent(task) ? [{ kind, isFirst: agentId === undefined }] : [];
      case "change_priority":
        return [{ kind }];
    }
  });
}
