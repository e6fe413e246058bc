import type { StepExecutor } from "../../../src/executors/contract.ts";

let acting: StepExecutor | null = null;

/** Sets the built-in agent's implementation. */
export function act(next: StepExecutor): void {
  acting = next;
}

export const runReportStep: StepExecutor = (task, hands) => {
  if (acting === null) throw new Error("The built-in agent has no implementation");
  return acting(task, hands);
};
