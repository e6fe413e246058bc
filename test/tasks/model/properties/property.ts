import type { RunStep } from "./run-task.ts";

/** What must hold of every life. `watch` begins one life: it is shown each step, and may remember. */
export interface Property {
  readonly claim: string;
  readonly observe: () => (step: RunStep) => void;
}

export class PropertyViolation extends Error {}

/** `detail` is only asked for when the law is broken: a million times it is not. */
export function ensure(holds: boolean, detail: () => string): asserts holds {
  if (!holds) throw new PropertyViolation(detail());
}
