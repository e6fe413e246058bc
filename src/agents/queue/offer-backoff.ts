import { OFFER_BACKOFF_MAX_MS, OFFER_BACKOFF_MIN_MS } from "../limits.ts";

/** Exponential backoff for tasks that did not respond. */
export class OfferBackoff {
  readonly #pauses = new Map<string, { readonly until: number; readonly pauseMs: number }>();

  recordFailure(taskId: string, now: number): void {
    const before = this.#pauses.get(taskId)?.pauseMs ?? OFFER_BACKOFF_MIN_MS / 2;
    const pauseMs = Math.min(2 * before, OFFER_BACKOFF_MAX_MS);
    this.#pauses.set(taskId, { until: now + pauseMs, pauseMs });
  }

  /** Call this when a task responds or leaves the queue. */
  reset(taskId: string): void {
    this.#pauses.delete(taskId);
  }

  isWaiting(taskId: string, now: number): boolean {
    return (this.#pauses.get(taskId)?.until ?? 0) > now;
  }

  /** When the next backoff ends; null if there is none. */
  findNextRetryAt(now: number): number | null {
    const ends = [...this.#pauses.values()].map(({ until }) => until).filter((end) => end > now);
    return ends.length === 0 ? null : Math.min(...ends);
  }
}
