import type { RunStep } from "./run-task.ts";

/**
 * A property that every run must have. `observe` is called once per run and returns a function that
 * receives each step and may keep state.
 */
export interface Property {
  readonly claim: string;
  readonly observe: () => (step: RunStep) => void;
}

export class PropertyViolation extends Error {}

/**
 * Throws if a property does not hold. `detail` is evaluated only then, because almost all checks
 * succeed.
 */
export function ensure(holds: boolean, detail: () => string): asserts holds {
  if (!holds) throw new PropertyViolation(detail());
}
