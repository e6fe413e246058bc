/** The phases of a built-in agent's work, in order; each is one durable step of a task. */
export const BUILTIN_PHASES = [
  "planning",
  "gathering",
  "analysing",
  "drafting",
  "finalising",
] as const;
export type BuiltinPhase = (typeof BUILTIN_PHASES)[number];

/** The phase that a task's `currentPhase` names; planning when it names none of these. */
export function parseBuiltinPhase(currentPhase: string | null): BuiltinPhase {
  return BUILTIN_PHASES.find((phase) => phase === currentPhase) ?? "planning";
}
