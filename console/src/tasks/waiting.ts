import type { Schemas } from "../api/client.ts";
import { formatTimesIn } from "../ui/relative-time.ts";
import type { ListedTask } from "./queries.ts";

type Waiting = Pick<ListedTask, "waitingFor" | "error">;

/** A short form of `describeWaiting`, for a row that also shows the agent and the status. */
export function summariseWaiting(
  task: Waiting & Pick<ListedTask, "status" | "attempt">,
): string | null {
  const { waitingFor } = task;
  switch (waitingFor?.kind) {
    case "agent":
      return summariseAgentWait(waitingFor.reason, task);
    case "slot":
      return "Waiting for a free slot.";
    case "review":
      return null;
    default:
      return describeWaiting(task);
  }
}

function summariseAgentWait(
  reason: Schemas["AgentWait"]["reason"],
  task: Pick<ListedTask, "status" | "attempt">,
): string {
  switch (reason) {
    case "unassigned":
      return "No suitable agent is available.";
    case "unavailable":
      return "The requested agent is not available.";
    case "unclaimed":
      return `No worker has ${claimOf(task)} yet.`;
  }
}

/** What no worker has done yet. If the task is in progress, a worker has already claimed the attempt. */
export function claimOf({ status, attempt }: Pick<ListedTask, "status" | "attempt">): string {
  if (status === "in_progress") return "continued the task";
  return attempt === 1 ? "claimed the task" : `claimed attempt ${attempt} of the task`;
}

/** Why the task is not progressing: its question, a sentence or its error; null if nothing holds it up. */
export function describeWaiting({ waitingFor, error }: Waiting): string | null {
  if (waitingFor?.kind === "question") return waitingFor.question.text;
  const message = waitingFor?.message ?? error?.message;
  return message === undefined ? null : formatTimesIn(message);
}
