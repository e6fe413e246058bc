import { MINUTE_MS, SECOND_MS } from "../../kernel/units.ts";

/** The delay between two polls, or two turns, is a quarter of the task's age within these bounds. */
const A2A_POLL_DELAY_MIN_MS = SECOND_MS;
const A2A_POLL_DELAY_MAX_MS = 15 * SECOND_MS;
/** The delay after a failure is the task's age, but at least this and at most the longest poll delay. */
const A2A_RETRY_DELAY_MIN_MS = 2 * SECOND_MS;
/** The longest `Retry-After` that is honoured. */
const A2A_RETRY_AFTER_MAX_MS = 5 * MINUTE_MS;
/**
 * The initial interval between two progress reports. The interval grows to a thirtieth of the task's age, because each
 * report writes rows.
 */
export const A2A_PROGRESS_INTERVAL_MIN_MS = 2 * SECOND_MS;
/** The longest interval between two progress reports. A day of updates results in about 300 reports. */
const A2A_PROGRESS_INTERVAL_MAX_MS = 10 * MINUTE_MS;
const POLL_AGE_DIVISOR = 4;
const PROGRESS_AGE_DIVISOR = 30;

/** The delay before the next poll of a task of this age. */
export function computePollDelayMs(ageMs: number): number {
  return clamp(A2A_POLL_DELAY_MIN_MS, ageMs / POLL_AGE_DIVISOR, A2A_POLL_DELAY_MAX_MS);
}

/** The delay after a failure, or the agent's `Retry-After` if that is longer. */
export function computeA2aRetryDelayMs(ageMs: number, retryAfterSeconds: number | null): number {
  const retryAfterMs = (retryAfterSeconds ?? 0) * 1_000;
  const ownMs = clamp(A2A_RETRY_DELAY_MIN_MS, ageMs, A2A_POLL_DELAY_MAX_MS);
  return Math.max(ownMs, Math.min(retryAfterMs, A2A_RETRY_AFTER_MAX_MS));
}

/** The interval between two progress reports, at least `intervalMinMs`. It grows with the task's age. */
export function computeProgressIntervalMs(ageMs: number, intervalMinMs: number): number {
  return clamp(intervalMinMs, ageMs / PROGRESS_AGE_DIVISOR, A2A_PROGRESS_INTERVAL_MAX_MS);
}

function clamp(min: number, value: number, max: number): number {
  return Math.round(Math.min(Math.max(value, min), max));
}
