import {
  A2A_RETRY_DELAY_MIN_MS,
  A2A_POLL_DELAY_MAX_MS,
  A2A_POLL_DELAY_MIN_MS,
  A2A_PROGRESS_INTERVAL_MAX_MS,
  A2A_RETRY_AFTER_MAX_MS,
} from "./limits.ts";

const POLL_AGE_DIVISOR = 4;
const PROGRESS_AGE_DIVISOR = 30;

/** The delay before the next poll of a task of this age. */
export function computePollDelayMs(ageMs: number): number {
  return clamp(A2A_POLL_DELAY_MIN_MS, ageMs / POLL_AGE_DIVISOR, A2A_POLL_DELAY_MAX_MS);
}

/** The delay after a failure, for which the agent may have sent `Retry-After`. */
export function computeA2aRetryDelayMs(ageMs: number, retryAfterSeconds: number | null): number {
  const retryAfterMs = (retryAfterSeconds ?? 0) * 1_000;
  const ownMs = clamp(A2A_RETRY_DELAY_MIN_MS, ageMs, A2A_POLL_DELAY_MAX_MS);
  return Math.max(ownMs, Math.min(retryAfterMs, A2A_RETRY_AFTER_MAX_MS));
}

/** The interval between two progress reports, at least `intervalMinMs`: longer as the task grows old. */
export function computeProgressIntervalMs(ageMs: number, intervalMinMs: number): number {
  return clamp(intervalMinMs, ageMs / PROGRESS_AGE_DIVISOR, A2A_PROGRESS_INTERVAL_MAX_MS);
}

function clamp(min: number, value: number, max: number): number {
  return Math.round(Math.min(Math.max(value, min), max));
}
