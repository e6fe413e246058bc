import { OUTAGE_BACKOFF_MAX_MS, OUTAGE_BACKOFF_MIN_MS, OUTAGE_MAX_MS } from "../limits.ts";
import { FileStoreError } from "../model/files.ts";
import type { TaskError } from "../model/task.ts";
import type { SideState } from "./side-state.store.ts";

/**
 * How long the platform has failed the task's work. The start is stored, because a waiting object is soon
 * evicted: one row at the start of an outage, one at its end.
 */
export class OutageTimer {
  readonly #sideState: SideState;

  constructor(sideState: SideState) {
    this.#sideState = sideState;
  }

  /** Records a failure at `now` and returns how long the outage has lasted. */
  recordFailure(now: number): number {
    const since = this.#sideState.get("faultSince");
    if (since === null) this.#sideState.put("faultSince", now);
    return now - (since ?? now);
  }

  /** Work has succeeded again. */
  reset(): void {
    this.#sideState.delete("faultSince");
  }
}

/** The pause during an outage: as long as it has lasted. */
export function outageBackoffMs(durationMs: number): number {
  return Math.min(Math.max(durationMs, OUTAGE_BACKOFF_MIN_MS), OUTAGE_BACKOFF_MAX_MS);
}

/** The error of an attempt whose outage has lasted too long; null while its work is retried. */
export function outageError(cause: unknown, durationMs: number): TaskError | null {
  if (durationMs < OUTAGE_MAX_MS) return null;
  if (cause instanceof FileStoreError) {
    return { code: "DELIVERABLE_STORE_FAILED", message: cause.message, retryable: true };
  }
  const minutes = Math.floor(durationMs / 60_000);
  const message = `The work was given up after ${minutes} minutes of faults of the platform.`;
  return { code: "INTERNAL_ERROR", message, retryable: true };
}

/** The error of an attempt whose step has crashed the object repeatedly. */
export const STEP_CRASHED_ERROR: TaskError = {
  code: "INTERNAL_ERROR",
  message: "A step of the work crashed again and again: it may take more than the platform allows.",
  retryable: true,
};
