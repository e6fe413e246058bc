import type { JsonObject } from "../../kernel/json.ts";

/**
 * `request`: a request for this agent. `pause-all`: a request for all agents. `no-progress`: the no-progress breaker.
 * `spending-limit`: a spending limit that pauses agents.
 */
export const PAUSE_CAUSES = ["request", "pause-all", "no-progress", "spending-limit"] as const;
export type PauseCause = (typeof PAUSE_CAUSES)[number];

/** A measure of work without progress. `cost` is in US dollars. */
export const NO_PROGRESS_MEASURES = ["failedAttempts", "calls", "cost"] as const;
export type NoProgressMeasure = (typeof NO_PROGRESS_MEASURES)[number];

/** Why the breaker paused an agent: the task that reached the limit, and the amounts that were measured. */
interface PauseEvidence extends JsonObject {
  taskId: string;
  measure: NoProgressMeasure;
  limit: number;
  counts: Partial<Record<NoProgressMeasure, number>>;
}

/** Why an agent is paused. `at` is in milliseconds since 1970. */
export interface Pause {
  readonly at: number;
  /** The id of the key that paused the agent; null if the service paused it. */
  readonly by: string | null;
  readonly cause: PauseCause;
  readonly reason: string | null;
  /** Null unless the breaker paused the agent. */
  readonly evidence: PauseEvidence | null;
}

/** When an agent is paused for lack of progress. Null turns a limit off. */
export type NoProgressLimits = Readonly<Record<NoProgressMeasure, number | null>>;

export const NO_PROGRESS_DEFAULTS: NoProgressLimits = { failedAttempts: 5, calls: 50, cost: 5 };

/** The limits as they are stored: null if all have their defaults. */
export function toStoredLimits(limits: NoProgressLimits): NoProgressLimits | null {
  const isDefault = NO_PROGRESS_MEASURES.every(
    (measure) => limits[measure] === NO_PROGRESS_DEFAULTS[measure],
  );
  return isDefault ? null : limits;
}
