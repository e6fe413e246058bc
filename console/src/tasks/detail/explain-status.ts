import type { Schemas } from "../../api/client.ts";
import type { Task } from "../queries.ts";
import { explainWait, nameOf, type Assignee } from "./explain-wait.ts";
import type { StatusExplanation } from "./status-explanation.ts";
import { formatTimesIn } from "../../ui/relative-time.ts";
import { foreign, type Sentence } from "./text-parts.ts";

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

/**
 * Explains a task's status in one sentence. `agent` is null if it is unknown or the key may not read it. `now`: when the
 * agent was read, in milliseconds since the epoch.
 */
export function explainStatus(task: Task, agent: Assignee | null, now: number): StatusExplanation {
  const name = nameOf(task);
  switch (task.status) {
    case "pending":
    case "assigned":
    case "in_progress":
      return explainWait(task, agent, now) ?? explainWork(task, name);
    case "blocked":
      return { tone: "warning", sentence: [name, explainQuestion(task.blocked)] };
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

function explainQuestion(blocked: Task["blocked"]): string {
  const calls = blocked?.approvalIds?.length;
  if (calls === undefined) return QUESTIONS[blocked?.kind ?? "input"];
  return calls === 1
    ? " is waiting for a decision about a call."
    : ` is waiting for decisions about ${calls} calls.`;
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
    sentence: [`The attempt failed (${error.code}): `, foreign(formatTimesIn(error.message))],
    advice: ERROR_ADVICE[error.code],
  };
}
