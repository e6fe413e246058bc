import { FEED_RETRY_MAX_MS, PROJECTION_RETRY_MS } from "./limits.ts";

/** The pause before the next call to a feed that fails: as long as it has been due, so that it doubles. */
export function feedRetryMs(dueMs: number): number {
  return Math.min(Math.max(dueMs, PROJECTION_RETRY_MS), FEED_RETRY_MAX_MS);
}
