import { OFFER_REST_MAX_MS, OFFER_REST_MIN_MS } from "../../domain/limits.ts";

/** Tasks that did not answer, and are left alone for a while: each time for twice as long. */
export class Rest {
  readonly #resting = new Map<string, { readonly until: number; readonly pauseMs: number }>();

  begin(taskId: string, now: number): void {
    const before = this.#resting.get(taskId)?.pauseMs ?? OFFER_REST_MIN_MS / 2;
    const pauseMs = Math.min(2 * before, OFFER_REST_MAX_MS);
    this.#resting.set(taskId, { until: now + pauseMs, pauseMs });
  }

  /** It has been heard of, or is gone. */
  end(taskId: string): void {
    this.#resting.delete(taskId);
  }

  isOn(taskId: string, now: number): boolean {
    return (this.#resting.get(taskId)?.until ?? 0) > now;
  }

  /** When the next of those that rest is to be asked again; null when none rests. */
  nextEnd(now: number): number | null {
    const ends = [...this.#resting.values()].map(({ until }) => until).filter((end) => end > now);
    return ends.length === 0 ? null : Math.min(...ends);
  }
}
