import {
  BREAKER_FAILURES_MAX,
  BREAKER_REST_MAX_MS,
  BREAKER_REST_MIN_MS,
  TOOL_TIMEOUT_MAX_MS,
} from "./limits.ts";

/**
 * How ill the system behind a tool seems. Closed below BREAKER_FAILURES_MAX failures in a row; then
 * calls rest until `restsUntil`, and one probe at a time shows whether it is well again.
 */
export interface Breaker {
  readonly failures: number;
  readonly restsUntil: number;
  /** A probe under way counts as lost after this instant. */
  readonly probeEndsAt: number;
}

export const WELL: Breaker = { failures: 0, restsUntil: 0, probeEndsAt: 0 };

/** How long a call has to wait, in milliseconds; 0 when it may go. */
export function restMs(breaker: Breaker, now: number): number {
  if (!isOpen(breaker)) return 0;
  return Math.max(0, breaker.restsUntil - now, breaker.probeEndsAt - now);
}

/** The breaker once a call is let through: while it is open, that call is the probe. */
export function afterAdmission(breaker: Breaker, now: number): Breaker {
  return isOpen(breaker) ? { ...breaker, probeEndsAt: now + TOOL_TIMEOUT_MAX_MS } : breaker;
}

/** The breaker after a call found the system well (any answer that is its own), or ill. */
export function afterCall(breaker: Breaker, isWell: boolean, now: number): Breaker {
  if (isWell) return WELL;
  const failures = breaker.failures + 1;
  if (failures < BREAKER_FAILURES_MAX) return { ...breaker, failures };
  const doublings = failures - BREAKER_FAILURES_MAX;
  const rest = Math.min(BREAKER_REST_MIN_MS * 2 ** doublings, BREAKER_REST_MAX_MS);
  return { failures, restsUntil: now + rest, probeEndsAt: 0 };
}

/** The breaker after a probe that never reached the system: the next call may try. */
export function afterNothing(breaker: Breaker): Breaker {
  return { ...breaker, probeEndsAt: 0 };
}

export function isOpen(breaker: Breaker): boolean {
  return breaker.failures >= BREAKER_FAILURES_MAX;
}
