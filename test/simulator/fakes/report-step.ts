import type { StepExecutor } from "../../../src/executors/contract.ts";

let acting: StepExecutor | null = null;

/** Who plays the built-in agent from now on. */
export function act(next: StepExecutor): void {
  acting = next;
}

export const runReportStep: StepExecutor = (task, hands) => {
  if (acting === null) throw new Error("Nobody plays the built-in agent");
  return acting(task, hands);
};
