import type * as real from "../../../src/agents/no-progress.store.ts";

/** The simulator does not test the breaker, so its agents have no settings for it. */
export const recordFailedAttempt: typeof real.recordFailedAttempt = async () => ({
  settings: null,
  failedAt: [],
});

export const findBreakerSettings: typeof real.findBreakerSettings = async () => null;

export const findLastSuccess: typeof real.findLastSuccess = async () => null;
