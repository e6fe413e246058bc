import type { RunStep } from "./run-task.ts";

/** A property of every run. `observe` starts one run; the returned function receives each step and may keep state. */
export interface Property {
  readonly claim: string;
  readonly observe: () => (step: RunStep) => void;
}

export class PropertyViolation extends Error {}

/** `detail` is evaluated only for a violation, because most of a million calls have none. */
export function ensure(holds: boolean, detail: () => string): asserts holds {
  if (!holds) throw new PropertyViolation(detail());
}
