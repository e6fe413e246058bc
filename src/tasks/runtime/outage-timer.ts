import { OUTAGE_BACKOFF_MAX_MS, OUTAGE_BACKOFF_MIN_MS, OUTAGE_MAX_MS } from "../limits.ts";
import type { TaskError } from "../model/task.ts";
import { FileStoreError } from "../model/file-key.ts";

const SINCE = "faultSince";

/**
 * The platform's faults in a task's work, as long as they last: since when is remembered in storage,
 * for an object that waits is soon evicted. Rows are written when a spell begins and ends, no more.
 */
export class OutageTimer {
  readonly #kv: SyncKvStorage;

  constructor(kv: SyncKvStorage) {
    this.#kv = kv;
  }

  /** One more fault at `now`; answers how long the spell has lasted. */
  recordFailure(now: number): number {
    const since = this.#kv.get<number>(SINCE);
    if (since === undefined) this.#kv.put(SINCE, now);
    return now - (since ?? now);
  }

  /** Work went well again. */
  reset(): void {
    if (this.#kv.get<number>(SINCE) !== undefined) this.#kv.delete(SINCE);
  }
}

/** The pause in a spell of faults: as long as it has lasted, so that tries grow rare. */
export function outageBackoffMs(lastedMs: number): number {
  return Math.min(Math.max(lastedMs, OUTAGE_BACKOFF_MIN_MS), OUTAGE_BACKOFF_MAX_MS);
}

/** The error of an attempt whose faults have lasted too long; null while it may go on trying. */
export function outageError(fault: unknown, lastedMs: number): TaskError | null {
  if (lastedMs < OUTAGE_MAX_MS) return null;
  if (fault instanceof FileStoreError) {
    return { code: "DELIVERABLE_STORE_FAILED", message: fault.message, retryable: true };
  }
  const minutes = Math.floor(lastedMs / 60_000);
  const message = `The work was given up after ${minutes} minutes of faults of the platform.`;
  return { code: "INTERNAL_ERROR", message, retryable: true };
}

/** The error of an attempt whose step ended the object itself again and again. */
export const STEP_CRASHED_ERROR: TaskError = {
  code: "INTERNAL_ERROR",
  message: "A step of the work crashed again and again: it may take more than the platform allows.",
  retryable: true,
};
