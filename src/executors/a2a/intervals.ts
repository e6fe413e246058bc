import {
  A2A_RETRY_DELAY_MIN_MS,
  A2A_POLL_DELAY_MAX_MS,
  A2A_POLL_DELAY_MIN_MS,
  A2A_PROGRESS_INTERVAL_MAX_MS,
  A2A_RETRY_AFTER_MAX_MS,
} from "./limits.ts";

const POLL_AGE_DIVISOR = 4;
const PROGRESS_AGE_DIVISOR = 30;
/** Where progress that nobody measures comes to rest, and the part of the way that each word of it goes. */
const ESTIMATED_PROGRESS_MAX = 90;
const PROGRESS_DIVISOR = 8;

/** How long to wait before the next look at work of this age, both in milliseconds. */
export function computePollDelayMs(ageMs: number): number {
  return clamp(A2A_POLL_DELAY_MIN_MS, ageMs / POLL_AGE_DIVISOR, A2A_POLL_DELAY_MAX_MS);
}

/** The same after a fault, where the system itself may have asked for a pause. */
export function computeA2aRetryDelayMs(ageMs: number, retryAfterSeconds: number | null): number {
  const retryAfterMs = (retryAfterSeconds ?? 0) * 1_000;
  const ownMs = clamp(A2A_RETRY_DELAY_MIN_MS, ageMs, A2A_POLL_DELAY_MAX_MS);
  return Math.max(ownMs, Math.min(retryAfterMs, A2A_RETRY_AFTER_MAX_MS));
}

/** How long after one word of progress the next is written down, at least `leastMs`: ever rarer as the work grows old. */
export function computeProgressIntervalMs(ageMs: number, intervalMinMs: number): number {
  return clamp(intervalMinMs, ageMs / PROGRESS_AGE_DIVISOR, A2A_PROGRESS_INTERVAL_MAX_MS);
}

/** Progress after one more word of the agent: what it says, or a part of the way to 90. It never goes back. */
export function estimateProgress(progress: number, reported: number | null): number {
  if (reported !== null) return Math.max(progress, reported);
  return Math.max(
    progress,
    progress + Math.ceil((ESTIMATED_PROGRESS_MAX - progress) / PROGRESS_DIVISOR),
  );
}

/** A percentage as agents put it beside their words, 0..99; null for anything else. */
export function parseReportedProgress(
  metadata: Readonly<Record<string, unknown>> | undefined,
): number | null {
  const reported = metadata?.["progress"];
  return typeof reported === "number" && reported >= 0 && reported < 100
    ? Math.floor(reported)
    : null;
}

function clamp(least: number, value: number, most: number): number {
  return Math.round(Math.min(Math.max(value, least), most));
}
