import type { StepOutcome } from "../../src/executors/contract.ts";
import type { TaskOutcome, Task, TaskError } from "../../src/tasks/model/task.ts";
import type { Rng } from "../support/rng.ts";

export function outcomeOf(mark: string): TaskOutcome {
  const result = { summary: mark, insights: [], recommendations: [] };
  return { result, quality: null, deliverables: [] };
}

function errorOf(mark: string): TaskError {
  return { code: "AGENT_ERROR", message: mark, retryable: true };
}

/** Draws the outcome of an agent's step or turn. Once the faults have ended, tasks finish soon. */
export function stepOutcome(rng: Rng, task: Task, mark: string, isQuiet: boolean): StepOutcome {
  const kind = isQuiet
    ? rng.pick(["progress", "complete", "complete"])
    : rng.pick([
        "progress",
        "progress",
        "progress",
        "progress",
        "complete",
        "block",
        "submit",
        "fail",
      ]);
  switch (kind) {
    case "progress": {
      const work = task.terms.executor === "a2a" ? { mark, a2a: { id: "elsewhere" } } : { mark };
      return { kind, progress: task.progress + 5, phase: "drafting", work };
    }
    case "block":
      return { kind, why: "input", question: mark, work: {} };
    case "submit":
    case "complete":
      return { kind, outcome: outcomeOf(mark) };
    case "fail":
      return { kind, error: errorOf(mark) };
  }
}
