import type { Schemas } from "../../api/client.ts";
import type { Task } from "../queries.ts";
import type { Tone } from "../../ui/badge.tsx";
import { count, foreign, type Sentence } from "./text-parts.ts";

/** Why a task is where it is, and what a person can do about it. */
export interface StatusExplanation {
  readonly tone: Tone;
  readonly sentence: Sentence;
  readonly advice?: string;
}

type Agent = Pick<Schemas["AgentDetail"], "enabled" | "maxConcurrentTasks" | "queue">;

const QUESTIONS: Readonly<Record<Schemas["BlockKind"], string>> = {
  input: " asked a question and is waiting for your answer.",
  approval: " is waiting for your approval.",
  auth: " is waiting for permission or credentials.",
  budget: " has used up the budget and is waiting for a higher limit.",
  dependency: " cannot continue until something else has happened.",
};

const ERROR_ADVICE: Readonly<Record<Schemas["TaskErrorCode"], string>> = {
  AGENT_ERROR: "Read the last events, then retry. If necessary, assign another agent.",
  TOOL_ERROR: "Check the tool and its credentials and the task's input, then retry.",
  DEADLINE_EXCEEDED: "Set a new deadline, then retry.",
  LEASE_EXPIRED: "Check that the agent's workers are running and sending heartbeats, then retry.",
  BUDGET_EXCEEDED: "Raise the budget, then retry.",
  REVIEW_REJECTED: "Retry, and say what the agent should do differently.",
  NO_AGENT_AVAILABLE: "Enable or register a suitable agent, set a new deadline, then retry.",
  DELIVERABLE_STORE_FAILED: "The file store was unavailable. Retry.",
  INTERNAL_ERROR: "Retry. If the task fails again, report it with the task's id.",
};

/** Explains a task's status in one sentence. `agent` is null if it is unknown or the key may not read it. */
export function explainStatus(task: Task, agent: Agent | null): StatusExplanation {
  const name = foreign(task.agentName ?? task.agentId ?? "The agent");
  switch (task.status) {
    case "pending":
    case "assigned":
    case "in_progress":
      return explainWait(task, name, agent) ?? explainWork(task, name);
    case "blocked":
      return { tone: "warning", sentence: [name, QUESTIONS[task.blocked?.kind ?? "input"]] };
    case "review":
      return { tone: "info", sentence: ["The work is ready for your review."] };
    case "completed":
      return { tone: "success", sentence: [name, " completed the task."] };
    case "failed":
      return explainFailure(task);
    case "cancelled":
      return {
        tone: "neutral",
        sentence: task.cancelReason
          ? ["The task was cancelled: ", foreign(task.cancelReason)]
          : ["The task was cancelled."],
      };
  }
}

/** Null if the task is not waiting. */
function explainWait(
  { waitingFor }: Task,
  name: Sentence[number],
  agent: Agent | null,
): StatusExplanation | null {
  if (agent?.enabled === false)
    return {
      tone: "warning",
      sentence: [name, " is disabled, so the task is waiting."],
      advice: "Enable the agent, or cancel the task.",
    };
  switch (waitingFor?.kind) {
    case "agent":
      return explainAgentWait(waitingFor, name, agent);
    case "slot":
      return explainBusy(name, agent);
    case "turn":
    case "retry":
      return { tone: "warning", sentence: [foreign(waitingFor.message)] };
    case "question":
    case "review":
    case undefined:
      return null;
  }
}

function explainAgentWait(
  wait: Schemas["AgentWait"],
  name: Sentence[number],
  agent: Agent | null,
): StatusExplanation {
  switch (wait.reason) {
    case "unassigned":
      return {
        tone: "warning",
        sentence: ["No suitable agent is available."],
        advice:
          "Enable or register an agent, or grant one the tools that the task needs. The service keeps searching for one.",
      };
    case "unavailable":
      return {
        tone: "warning",
        sentence: [foreign(wait.message)],
        advice: "Enable or register the agent, or cancel the task and create it for another agent.",
      };
    case "unclaimed":
      return isFull(agent)
        ? explainBusy(name, agent)
        : {
            tone: "warning",
            sentence: ["No worker of ", name, " has claimed the task yet."],
            advice: "Start a worker for this agent, or check that its workers are running.",
          };
  }
}

function isFull(agent: Agent | null): boolean {
  const slots = agent?.maxConcurrentTasks ?? Infinity;
  return (agent?.queue?.running ?? 0) >= slots;
}

function explainBusy(name: Sentence[number], agent: Agent | null): StatusExplanation {
  const { maxConcurrentTasks: slots, queue } = agent ?? {};
  const details =
    queue && slots
      ? `: it is working on ${count(queue.running, "task")} (maximum ${slots.toLocaleString("en")}), and ${waiting(queue.waiting)}`
      : "";
  return {
    tone: "neutral",
    sentence: [name, ` is busy${details}.`],
    advice: "The task starts when a slot is free. To move it forward, raise its priority.",
  };
}

function waiting(tasks: number): string {
  return `${tasks.toLocaleString("en")} ${tasks === 1 ? "is" : "are"} waiting`;
}

function explainWork(
  { status, lease, currentPhase, progress, agentId }: Task,
  name: Sentence[number],
): StatusExplanation {
  if (status === "pending" && agentId === undefined)
    return { tone: "neutral", sentence: ["The service is searching for a suitable agent."] };
  if (status === "pending")
    return { tone: "neutral", sentence: ["The task is being assigned to ", name, "."] };
  if (status === "assigned")
    return { tone: "neutral", sentence: [name, " is about to start the task."] };
  const worker: Sentence = lease?.worker
    ? ["The worker ", foreign(lease.worker), " of ", name, " is working"]
    : [name, " is working"];
  const phase: Sentence = currentPhase ? [": ", foreign(currentPhase)] : [];
  return { tone: "accent", sentence: [...worker, ...phase, ` (${progress}%).`] };
}

function explainFailure({ error }: Task): StatusExplanation {
  if (error === undefined) return { tone: "danger", sentence: ["The attempt failed."] };
  return {
    tone: "danger",
    sentence: [`The attempt failed (${error.code}): `, foreign(error.message)],
    advice: ERROR_ADVICE[error.code],
  };
}
