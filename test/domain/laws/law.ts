import type { Step } from "../living.ts";

/** What must hold of every life. `watch` begins one life: it is shown each step, and may remember. */
export interface Law {
  readonly says: string;
  readonly watch: () => (step: Step) => void;
}

export class LawBroken extends Error {}

/** `detail` is only asked for when the law is broken: a million times it is not. */
export function must(holds: boolean, detail: () => string): asserts holds {
  if (!holds) throw new LawBroken(detail());
}
