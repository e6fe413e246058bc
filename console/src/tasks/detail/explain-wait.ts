import type { Schemas } from "../../api/client.ts";
import { formatRelativeTime, formatTimesIn } from "../../ui/relative-time.ts";
import type { Task } from "../queries.ts";
import { PRIORITIES } from "../filters.ts";
import { claimOf } from "../waiting.ts";
import type { StatusAction, StatusExplanation } from "./status-explanation.ts";
import { canChangeAgent } from "./task-changes.ts";
import { count } from "../../tools/words.ts";
import { foreign, type Sentence } from "./text-parts.ts";

/** The properties of an agent that explain why a task waits for it. */
export type Assignee = Pick<
  Schemas["AgentDetail"],
  | "name"
  | "enabled"
  | "teams"
  | "maxConcurrentTasks"
  | "queue"
  | "online"
  | "lastSeenAt"
  | "workers"
>;

/** A task that has waited for less time than this may be claimed soon, even if no worker is known. */
const CLAIM_EXPECTED_MS = 10_000;

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
  const situation: Situation = { task, name: nameOf(task, agent), agent, now };
  const { waitingFor } = task;
  if (agent?.enabled === false) return explainDisabled(situation);
  switch (waitingFor?.kind) {
    case "agent":
      return explainAgentWait(waitingFor, situation);
    case "slot":
      return explainFull(situation);
    case "pause":
      return explainPaused(waitingFor, situation);
    case "turn":
    case "retry":
      return {
        tone: "warning",
        sentence: [foreign(formatTimesIn(waitingFor.message))],
        actions: [...openActions(task), ...changeActions(task)],
      };
    case "question":
    case "review":
    case undefined:
      return null;
  }
}

export function nameOf(
  { agentName, agentId }: Task,
  agent: Assignee | null = null,
): Sentence[number] {
  return foreign(agentName ?? agent?.name ?? agentId ?? "The agent");
}

/** The task's agent or, if the task is unassigned, the requested agent. */
export function awaitedAgentOf({ agentId, waitingFor }: Task): string | undefined {
  return agentId ?? (waitingFor?.kind === "agent" ? waitingFor.agentId : undefined);
}

function explainDisabled({ task, name, agent }: Situation): StatusExplanation {
  return {
    tone: "warning",
    sentence: [name, " is disabled, so the task is waiting."],
    advice: `Enable the agent${agent?.online === false ? " and start a worker" : ""}, or ${canChangeAgent(task) ? "give the task to another agent" : "cancel the task"}.`,
    actions: [...enableActions(task), ...changeActions(task), ...openActions(task)],
  };
}

function explainPaused(wait: Schemas["PauseWait"], { task }: Situation): StatusExplanation {
  const orGive = canChangeAgent(task) ? ", or give the task to another agent" : "";
  return {
    tone: "warning",
    sentence: [foreign(wait.message)],
    advice: `Resume the agent on its page${orGive}.`,
    actions: [...openActions(task), ...changeActions(task)],
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
        actions: changeActions(task),
      };
    case "unavailable":
      return explainUnavailable(wait, situation);
    case "unclaimed":
      if (isFull(agent)) return explainFull(situation);
      return explainUnclaimed(situation);
  }
}

/** The task has not been assigned to the requested agent, which is not known to be disabled. */
function explainUnavailable(
  wait: Schemas["AgentWait"],
  { task, name, agent }: Situation,
): StatusExplanation {
  const actions = [...openActions(task), ...changeActions(task)];
  if (agent === null)
    return {
      tone: "warning",
      sentence: [foreign(wait.message)],
      advice: "Enable or register the agent, or give the task to another agent.",
      actions,
    };
  const { teamId } = task;
  if (teamId !== undefined && !agent.teams.includes(teamId))
    return {
      tone: "warning",
      sentence: [name, " is not a member of the team ", foreign(teamId), "."],
      advice: "Add the agent to the team, or give the task to another agent.",
      actions,
    };
  return {
    tone: "neutral",
    sentence: [name, " is enabled."],
    advice: "The service assigns the task to the agent within a minute.",
    actions,
  };
}

function isFull(agent: Assignee | null): boolean {
  const slots = agent?.maxConcurrentTasks ?? Infinity;
  return (agent?.queue?.running ?? 0) >= slots;
}

/** A worker can claim the task, but none has. */
function explainUnclaimed({ task, name, agent, now }: Situation): StatusExplanation {
  const actions = [...openActions(task), ...changeActions(task)];
  const claim = claimOf(task);
  const waitsSince = task.waitingFor === null ? now : Date.parse(task.waitingFor.since);
  if (agent?.enabled === true && now - waitsSince < CLAIM_EXPECTED_MS)
    return {
      tone: "neutral",
      sentence: ["The task is in the queue of ", name, "."],
      advice: "If a worker is online, it claims the task within seconds.",
      actions: [],
    };
  const canChange = canChangeAgent(task);
  const orGive = canChange ? ", or give the task to another agent" : "";
  if (agent?.online === false)
    return {
      tone: "warning",
      sentence: ["No worker of ", name, ` is online${lastSeen(agent, now)}.`],
      advice: `Start a worker${orGive}. The agent's page shows how to start a worker.`,
      actions,
    };
  if (agent?.online !== true)
    return {
      tone: "warning",
      sentence: ["No worker of ", name, ` has ${claim} yet.`],
      advice: `Check that the agent's workers are running${canChange ? ", start a worker" : ", or start a worker"}${orGive}.`,
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
  const others = queue && queue.waiting - 1;
  const competition =
    others && others > 0
      ? ` ${count(others, "other task")} ${others === 1 ? "is" : "are"} waiting.`
      : "";
  const start = task.status === "in_progress" ? "continue" : "start";
  const mayRaise = task.priority !== PRIORITIES.at(-1) && others !== 0;
  const ways = [
    "raise the agent's maximum",
    ...(mayRaise ? ["raise the task's priority"] : []),
    ...(canChangeAgent(task) ? ["give the task to another agent"] : []),
  ];
  return {
    tone: "neutral",
    sentence: [name, ` has reached its maximum of concurrent tasks${details}.`],
    advice: `The task can ${start} when a running task ends.${competition} To ${start} the task earlier, ${choiceOf(ways)}.`,
    actions: [
      ...raiseActions(task, agent),
      ...(mayRaise ? [{ kind: "change_priority" } as const] : []),
      ...changeActions(task),
      ...openActions(task),
    ],
  };
}

/** "a", "a or b", "a, b, or c". */
function choiceOf(ways: readonly string[]): string {
  if (ways.length < 3) return ways.join(" or ");
  return `${ways.slice(0, -1).join(", ")}, or ${ways.at(-1)}`;
}

function openActions(task: Task): readonly StatusAction[] {
  const agentId = awaitedAgentOf(task);
  return agentId === undefined ? [] : [{ kind: "open_agent", agentId }];
}

function enableActions(task: Task): readonly StatusAction[] {
  const agentId = awaitedAgentOf(task);
  return agentId === undefined ? [] : [{ kind: "enable_agent", agentId }];
}

function raiseActions(task: Task, agent: Assignee | null): readonly StatusAction[] {
  const agentId = awaitedAgentOf(task);
  const slots = agent?.maxConcurrentTasks ?? null;
  if (agentId === undefined || slots === null) return [];
  // If the maximum was lowered, more tasks may be running.
  const maximum = Math.max(slots, agent?.queue?.running ?? 0) + 1;
  return [{ kind: "raise_maximum", agentId, maximum }];
}

/** A started task keeps its agent. */
function changeActions(task: Task): readonly StatusAction[] {
  if (!canChangeAgent(task)) return [];
  return [{ kind: "change_agent", isFirst: awaitedAgentOf(task) === undefined }];
}
