import type { TaskError } from "../tasks/model/task.ts";
import type { StepOutcome } from "./contract.ts";

/** The outcome of a turn or step that ends the attempt with AGENT_ERROR. */
export function createFailOutcome(
  message: string,
  retryable: boolean,
  details?: TaskError["details"],
): Extract<StepOutcome, { kind: "fail" }> {
  const error: TaskError = { code: "AGENT_ERROR", message, retryable };
  return { kind: "fail", error: details === undefined ? error : { ...error, details } };
}

export function createAgentUnavailableOutcome(agentName: string | null): StepOutcome {
  return createFailOutcome(
    `${agentName ?? "The agent"} is no longer registered and enabled.`,
    true,
  );
}
