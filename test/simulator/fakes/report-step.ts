import type { StepExecutor } from "../../../src/executors/contract.ts";

let acting: StepExecutor | null = null;

/** Sets the built-in agent's implementation. */
export function act(next: StepExecutor): void {
  acting = next;
}

export const runReportStep: StepExecutor = (task, hands) => {
  if (acting === null) throw new Error("Set an implementation of the built-in agent first");
  return acting(task, hands);
};
