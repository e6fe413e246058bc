import { FEED_RETRY_MAX_MS, PROJECTION_RETRY_MS } from "./limits.ts";

/** The pause before retrying a failing feed. It equals the time since the call was due, so it doubles. */
export function feedRetryMs(dueMs: number): number {
  return Math.min(Math.max(dueMs, PROJECTION_RETRY_MS), FEED_RETRY_MAX_MS);
}
