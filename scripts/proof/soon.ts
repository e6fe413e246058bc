import { setTimeout as pause } from "node:timers/promises";
import type { Violation } from "./check/violation.ts";

/** Promise 6, and as long for whatever else is owed to others. */
const CONVERGES_WITHIN_MS = 60_000;
const LOOK_MS = 500;

export interface Soon {
  /** What is left of them when the time is over. */
  readonly violations: readonly Violation[];
  readonly tookMs: number;
}

/** Looks until it is as it should be, within a minute from `since` on. */
export async function soon(
  check: () => Promise<readonly Violation[]>,
  since = Date.now(),
): Promise<Soon> {
  for (;;) {
    const violations = await check();
    const tookMs = Date.now() - since;
    if (violations.length === 0 || tookMs > CONVERGES_WITHIN_MS) return { violations, tookMs };
    await pause(LOOK_MS);
  }
}
