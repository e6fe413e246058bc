/** Duration of a step without the pause before it; measured on built-in agents, rounded up. */
const STEP_MS = 100;
/** Duration of writing one deliverable; measured in the same way. */
const DELIVERABLE_MS = 50;

/** A guess for external agents and models: most tasks take minutes, not seconds or hours. */
const EXTERNAL_TASK_MS = 2 * 60_000;

export interface DurationEstimate {
  readonly durationMs: number;
  readonly completionAt: number;
}

/** `queued`: live tasks of the agent, which share its time. Each step has a pause before it. */
export function estimateBuiltinTask(
  work: { steps: number; stepIntervalMs: number; deliverables: number; queued: number },
  now: number,
): DurationEstimate {
  const ownMs = work.steps * (work.stepIntervalMs + STEP_MS) + work.deliverables * DELIVERABLE_MS;
  const durationMs = ownMs + work.queued * STEP_MS;
  return { durationMs, completionAt: now + durationMs };
}

/** `queued`: live tasks of the agent; `places`: how many it works on at the same time, null: unlimited. */
export function estimateExternalTask(
  { queued, places }: { queued: number; places: number | null },
  now: number,
): DurationEstimate {
  const rounds = places === null ? 0 : Math.floor(queued / places);
  const durationMs = (1 + rounds) * EXTERNAL_TASK_MS;
  return { durationMs, completionAt: now + durationMs };
}
