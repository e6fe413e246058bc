import type { ListedTask } from "./queries.ts";

const SHORT_REASONS = {
  unassigned: "No agent is available.",
  unavailable: "The requested agent is not available.",
  unclaimed: "No worker has claimed the task yet.",
} as const;

/** The same as `describeWaiting`, short enough for a row whose other fields show the agent and the status. */
export function summariseWaiting(task: Pick<ListedTask, "waitingFor" | "error">): string | null {
  const { waitingFor } = task;
  switch (waitingFor?.kind) {
    case "agent":
      return SHORT_REASONS[waitingFor.reason];
    case "slot":
      return "Waiting for a free slot.";
    case "review":
      return null;
    default:
      return describeWaiting(task);
  }
}

/** Why the task is not progressing: its question, a sentence or its error; null if nothing holds it up. */
export function describeWaiting({
  waitingFor,
  error,
}: Pick<ListedTask, "waitingFor" | "error">): string | null {
  if (waitingFor?.kind === "question") return waitingFor.question.text;
  return waitingFor?.message ?? error?.message ?? null;
}
