import type { StepOutcome } from "../../executors/contract.ts";
import type { TaskCommand } from "../model/command.ts";
import type { ModelUsage, ToolCall } from "../model/task.ts";

/** The command that an outcome of an agent's step stands for, with what the step has used. */
export function toStepCommand(
  attempt: number,
  outcome: StepOutcome,
  calls: readonly ToolCall[],
  use?: ModelUsage,
): TaskCommand {
  const paid = use === undefined ? { calls } : { calls, use };
  switch (outcome.kind) {
    case "progress": {
      const { progress, phase, work } = outcome;
      return { type: "progress", attempt, data: { progress, phase, work, ...paid } };
    }
    case "block": {
      const { why: kind, question, work } = outcome;
      return { type: "block", attempt, data: { kind, question, work, ...paid } };
    }
    case "submit":
    case "complete":
      return { type: outcome.kind, attempt, outcome: outcome.outcome, ...paid };
    case "fail":
      return { type: "fail", attempt, error: outcome.error, ...paid };
  }
}
