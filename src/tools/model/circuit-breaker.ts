import {
  BREAKER_FAILURES_MAX,
  BREAKER_OPEN_MAX_MS,
  BREAKER_OPEN_MIN_MS,
  TOOL_TIMEOUT_MAX_MS,
} from "../limits.ts";

/**
 * How ill the system behind a tool seems. Closed below BREAKER_FAILURES_MAX failures in a row; then
 * calls rest until `restsUntil`, and one probe at a time shows whether it is well again.
 */
export interface CircuitBreaker {
  readonly failures: number;
  /** Rests in a row, each twice as long as the one before; 0 while closed. */
  readonly rests: number;
  readonly restsUntil: number;
  /** A probe under way counts as lost after this instant. */
  readonly probeEndsAt: number;
}

export const CLOSED_BREAKER: CircuitBreaker = {
  failures: 0,
  rests: 0,
  restsUntil: 0,
  probeEndsAt: 0,
};

/** A call with its renewal and second run takes two timeouts at most. */
const PROBE_MS = 2 * TOOL_TIMEOUT_MAX_MS;

/** How long a call has to wait, in milliseconds; 0 when it may go. */
export function waitMsOf(breaker: CircuitBreaker, now: number): number {
  if (!isBreakerOpen(breaker)) return 0;
  return Math.max(0, breaker.restsUntil - now, breaker.probeEndsAt - now);
}

/** The breaker once a call is let through: while it is open, that call is the probe. */
export function startProbe(breaker: CircuitBreaker, now: number): CircuitBreaker {
  return isBreakerOpen(breaker) ? { ...breaker, probeEndsAt: now + PROBE_MS } : breaker;
}

/**
 * The breaker after a call found the system well (any answer that is its own), or ill. While it is
 * open only the probe's word counts: calls from before the opening tell what is known.
 */
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

/** The breaker after a probe that never reached the system: the next call may try. */
export function cancelProbe(breaker: CircuitBreaker, isProbe: boolean): CircuitBreaker {
  return isProbe ? { ...breaker, probeEndsAt: 0 } : breaker;
}

export function isBreakerOpen(breaker: CircuitBreaker): boolean {
  return breaker.rests > 0;
}
