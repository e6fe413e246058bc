/** What one step of work takes beside the pause before it; measured on the built-in agents, rounded up. */
const STEP_MS = 100;
/** Writing one deliverable, measured likewise. */
const DELIVERABLE_MS = 50;

/** Nobody can know how long people's own agents and models take: minutes more often than seconds or hours. */
const EXTERNAL_TASK_MS = 2 * 60_000;

export interface DurationEstimate {
  readonly durationMs: number;
  readonly completionAt: number;
}

/**
 * How long a task will take: `steps` steps with a pause before each, its deliverables, and the
 * tasks its agent already has in hand, which share the agent's time.
 */
export function estimateBuiltinTask(
  work: { steps: number; stepIntervalMs: number; deliverables: number; queued: number },
  now: number,
): DurationEstimate {
  const ownMs = work.steps * (work.stepIntervalMs + STEP_MS) + work.deliverables * DELIVERABLE_MS;
  const durationMs = ownMs + work.queued * STEP_MS;
  return { durationMs, completionAt: now + durationMs };
}

/** A guess for an agent that works elsewhere: so many tasks are in its hands before this one, for its places. */
export function estimateExternalTask(
  { queued, places }: { queued: number; places: number | null },
  now: number,
): DurationEstimate {
  const rounds = places === null ? 0 : Math.floor(queued / places);
  const durationMs = (1 + rounds) * EXTERNAL_TASK_MS;
  return { durationMs, completionAt: now + durationMs };
}
