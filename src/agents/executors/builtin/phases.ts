/** The phases of a built-in agent's work, in order; each is one durable step of a task. */
export const PHASES = ["planning", "gathering", "analysing", "drafting", "finalising"] as const;
export type Phase = (typeof PHASES)[number];

/** The phase that a task's `currentPhase` names; planning when it names none of these. */
export function phaseOf(currentPhase: string | null): Phase {
  return PHASES.find((phase) => phase === currentPhase) ?? "planning";
}
