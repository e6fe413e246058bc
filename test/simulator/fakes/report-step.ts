import type { StepExecutor } from "../../../src/executors/contract.ts";

let acting: StepExecutor | null = null;

/** Sets the implementation of the built-in agent. */
export function act(next: StepExecutor): void {
  acting = next;
}

export const runReportStep: StepExecutor = (task, hands) => {
  if (acting === null) throw new Error("The built-in agent has no implementation");
  return acting(task, hands);
};
