import type { StepOutcome } from "../agents/executors/contract.ts";
import type { Command } from "../domain/commands.ts";
import type { ModelUse, ToolCall } from "../domain/task.ts";

/** The command that an outcome of an agent's step stands for, with what the step has used. */
export function commandOf(
  attempt: number,
  outcome: StepOutcome,
  calls: readonly ToolCall[],
  use?: ModelUse,
): Command {
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
