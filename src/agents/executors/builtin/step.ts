import type { Task } from "../../../domain/task.ts";
import type { Hands, StepOutcome } from "../contract.ts";
import { phaseOf } from "./phases.ts";
import { analysing } from "./steps/analysing.ts";
import { drafting } from "./steps/drafting.ts";
import { finalising } from "./steps/finalising.ts";
import { gathering } from "./steps/gathering.ts";
import { planning } from "./steps/planning.ts";

/**
 * One step of a built-in agent: does the phase that the task is in and names the next. Safe to
 * repeat; calls only tools that the agent was granted, and states no figure but theirs.
 */
export async function step(task: Task, hands: Hands): Promise<StepOutcome> {
  switch (phaseOf(task.currentPhase)) {
    case "planning":
      return planning(task, hands);
    case "gathering":
      return gathering(task, hands);
    case "analysing":
      return analysing(task, hands);
    case "drafting":
      return drafting(task, hands);
    case "finalising":
      return finalising(task);
  }
}
