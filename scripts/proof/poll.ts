import { setTimeout as pause } from "node:timers/promises";
import type { Violation } from "./check/violation.ts";

/** The limit of guarantee 6, also used for all other pending work. */
const CONVERGES_WITHIN_MS = 60_000;
const POLL_MS = 500;

export interface PollResult {
  /** The violations that remain after the time limit. */
  readonly violations: readonly Violation[];
  readonly tookMs: number;
}

/** The remaining items of a list that should become empty. */
export interface Remaining<Item> {
  readonly left: readonly Item[];
  readonly tookMs: number;
}

/** Polls until a list is empty or has not become shorter for a minute. */
export async function pollWhileShrinking<Item>(
  read: () => readonly Item[],
): Promise<Remaining<Item>> {
  const startedAt = Date.now();
  let [shortest, shrunkAt] = [Infinity, startedAt];
  for (;;) {
    const left = read();
    if (left.length < shortest) [shortest, shrunkAt] = [left.length, Date.now()];
    const isStuck = Date.now() - shrunkAt > CONVERGES_WITHIN_MS;
    if (left.length === 0 || isStuck) return { left, tookMs: Date.now() - startedAt };
    await pause(POLL_MS);
  }
}

/** Polls until there are no violations, for at most a minute from `since`. */
export async function pollUntilValid(
  check: () => Promise<readonly Violation[]>,
  since = Date.now(),
): Promise<PollResult> {
  for (;;) {
    const violations = await check();
    const tookMs = Date.now() - since;
    if (violations.length === 0 || tookMs > CONVERGES_WITHIN_MS) return { violations, tookMs };
    await pause(POLL_MS);
  }
}
