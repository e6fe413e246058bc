import {
  BREAKER_FAILURES_MAX,
  BREAKER_OPEN_MAX_MS,
  BREAKER_OPEN_MIN_MS,
  TOOL_TIMEOUT_MAX_MS,
} from "../limits.ts";

/** A tool's circuit breaker. While it is open, calls fail until `restsUntil`; then one probe at a time is sent. */
export interface CircuitBreaker {
  readonly failures: number;
  /** How many times the breaker has opened in a row; each period is twice as long. 0 while closed. */
  readonly rests: number;
  readonly restsUntil: number;
  /** When a running probe counts as lost. */
  readonly probeEndsAt: number;
}

export const CLOSED_BREAKER: CircuitBreaker = {
  failures: 0,
  rests: 0,
  restsUntil: 0,
  probeEndsAt: 0,
};

/** A call with a token renewal and a second attempt takes at most two timeouts. */
const PROBE_MS = 2 * TOOL_TIMEOUT_MAX_MS;

/** The wait before a call, in milliseconds; 0 for none. */
export function waitMsOf(breaker: CircuitBreaker, now: number): number {
  if (!isBreakerOpen(breaker)) return 0;
  return Math.max(0, breaker.restsUntil - now, breaker.probeEndsAt - now);
}

/** The breaker after a call is admitted: while it is open, the call is the probe. */
export function startProbe(breaker: CircuitBreaker, now: number): CircuitBreaker {
  return isBreakerOpen(breaker) ? { ...breaker, probeEndsAt: now + PROBE_MS } : breaker;
}

/** The breaker after a call reached the system. While it is open, only the probe counts: other calls began earlier. */
export function recordCallResult(
  breaker: CircuitBreaker,
  { isWell, isProbe }: { isWell: boolean; isProbe: boolean },
  now: number,
): CircuitBreaker {
  if (isBreakerOpen(breaker) && !isProbe) return breaker;
  if (isWell) return CLOSED_BREAKER;
  const failures = breaker.failures + 1;
  if (failures < BREAKER_FAILURES_MAX) return { ...breaker, failures };
  const rest = Math.min(BREAKER_OPEN_MIN_MS * 2 ** breaker.rests, BREAKER_OPEN_MAX_MS);
  return { failures, rests: breaker.rests + 1, restsUntil: now + rest, probeEndsAt: 0 };
}

/** The breaker after a probe that did not reach the system: the next call is a probe. */
export function cancelProbe(breaker: CircuitBreaker, isProbe: boolean): CircuitBreaker {
  return isProbe ? { ...breaker, probeEndsAt: 0 } : breaker;
}

export function isBreakerOpen(breaker: CircuitBreaker): boolean {
  return breaker.rests > 0;
}
