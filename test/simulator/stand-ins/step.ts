import type { Step } from "../../../src/agents/executors/contract.ts";

let acting: Step | null = null;

/** Who plays the built-in agent from now on. */
export function act(next: Step): void {
  acting = next;
}

export const step: Step = (task, hands) => {
  if (acting === null) throw new Error("Nobody plays the built-in agent");
  return acting(task, hands);
};
