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
  input: " asks a question and waits for your answer.",
  approval: " waits for your approval.",
  auth: " waits for permission or credentials.",
  budget: " has used up the budget and waits for a higher limit.",
  dependency: " waits for something else to happen first.",
};

const ERROR_ADVICE: Readonly<Record<Schemas["TaskErrorCode"], string>> = {
  AGENT_ERROR: "Read the last events, then retry, if necessary with another agent.",
  TOOL_ERROR: "Check the tool and its credentials and the task's input, then retry.",
  DEADLINE_EXCEEDED: "Set a new deadline, then retry.",
  LEASE_EXPIRED: "Check that the agent's workers run and send heartbeats, then retry.",
  BUDGET_EXCEEDED: "Create the task again with a higher budget, or retry with another agent.",
  REVIEW_REJECTED: "Retry with what the agent should do differently.",
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
      return { tone: "info", sentence: ["The work is done and waits for your review."] };
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

/** Null if the task does not wait. */
function explainWait(
  { waitingFor }: Task,
  name: Sentence[number],
  agent: Agent | null,
): StatusExplanation | null {
  if (agent?.enabled === false)
    return {
      tone: "warning",
      sentence: [name, " is disabled, so the task waits."],
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
            advice: "Start a worker for this agent, or check that its workers run.",
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
      ? `: it works on ${queue.running} of at most ${count(slots, "task")} at once, and ${waiting(queue.waiting)}`
      : "";
  return {
    tone: "neutral",
    sentence: [name, ` is busy${details}.`],
    advice: "The task starts when a slot is free. A higher priority moves it forward.",
  };
}

function waiting(tasks: number): string {
  return tasks === 1 ? "1 task waits" : `${tasks.toLocaleString("en")} tasks wait`;
}

function explainWork(
  { status, lease, currentPhase, progress, agentId }: Task,
  name: Sentence[number],
): StatusExplanation {
  if (status === "pending" && agentId === undefined)
    return { tone: "neutral", sentence: ["The service searches for a suitable agent."] };
  if (status === "pending")
    return { tone: "neutral", sentence: ["The task is being assigned to ", name, "."] };
  if (status === "assigned")
    return { tone: "neutral", sentence: [name, " is about to start the task."] };
  const worker: Sentence = lease?.worker
    ? ["The worker ", foreign(lease.worker), " of ", name, " is working"]
    : [name, " is working"];
  const phase: Sentence = currentPhase ? [": ", foreign(currentPhase)] : [];
  return { tone: "accent", sentence: [...worker, ...phase, ` (${progress} %).`] };
}

function explainFailure({ error }: Task): StatusExplanation {
  if (error === undefined) return { tone: "danger", sentence: ["The attempt failed."] };
  return {
    tone: "danger",
    sentence: [`The attempt failed (${error.code}): `, foreign(error.message)],
    advice: ERROR_ADVICE[error.code],
  };
}
