/** What one step of work takes beside the pause before it; measured on the built-in agents, rounded up. */
const STEP_WORK_MS = 100;
/** Writing one deliverable, measured likewise. */
const DELIVERABLE_WORK_MS = 50;

export interface Estimate {
  readonly durationMs: number;
  readonly completionAt: number;
}

/**
 * How long a task will take: `steps` steps with a pause before each, its deliverables, and the
 * tasks its agent already has in hand, which share the agent's time.
 */
export function estimate(
  work: { steps: number; stepIntervalMs: number; deliverables: number; queued: number },
  now: number,
): Estimate {
  const ownMs =
    work.steps * (work.stepIntervalMs + STEP_WORK_MS) + work.deliverables * DELIVERABLE_WORK_MS;
  const durationMs = ownMs + work.queued * STEP_WORK_MS;
  return { durationMs, completionAt: now + durationMs };
}
