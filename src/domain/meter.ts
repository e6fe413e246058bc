import {
  afterAdmission,
  afterCall,
  afterNothing,
  isOpen,
  restMs,
  WELL,
  type Breaker,
} from "./breaker.ts";
import type { RateWindow } from "./failure.ts";
import { LOST_CALL_MS } from "./limits.ts";
import type { Pricing, RateLimit, RatePeriod } from "./tool.ts";

const PERIOD_SECONDS: Readonly<Record<RatePeriod, number>> = {
  second: 1,
  minute: 60,
  hour: 3_600,
  day: 86_400,
};

/** What a tool's meter remembers: the open window, the calendar month (UTC), and the tool's health. */
export interface MeterState {
  readonly windowStartedAt: number;
  readonly windowCalls: number;
  readonly month: string;
  readonly monthCalls: number;
  readonly breaker: Breaker;
  /** The version of the tool that the breaker judges; the next one starts well. */
  readonly version: number;
  /** Calls that are counted and have not ended. */
  readonly underWay: readonly Pass[];
}

/** What an admitted call holds until it ends: when it was let in, and what it was counted in. */
export interface Pass {
  readonly ticket: string;
  readonly at: number;
  readonly windowStartedAt: number;
  readonly month: string;
  readonly version: number;
  /** Whether the call shows if the system is well again. */
  readonly isProbe: boolean;
}

export type Admission =
  | {
      readonly admitted: true;
      /** The meter with this call counted. */
      readonly state: MeterState;
      readonly pass: Pass;
      readonly cost: number;
      readonly window: RateWindow;
    }
  | { readonly admitted: false; readonly refusal: "rate" | "cost"; readonly window: RateWindow }
  | { readonly admitted: false; readonly refusal: "rest"; readonly retryAfterSeconds: number };

/** A tool's terms, and the most that the caller will pay for the call; null for any price. */
export interface Terms {
  readonly rateLimit: RateLimit;
  readonly pricing: Pricing;
  readonly costMax: number | null;
  /** The tool's own version. */
  readonly version: number;
}

/** What a call showed of the system behind the tool; `nothing` when it was not reached. */
export type Health = "well" | "ill" | "nothing";

export const UNUSED_METER: MeterState = {
  windowStartedAt: 0,
  windowCalls: 0,
  month: "",
  monthCalls: 0,
  breaker: WELL,
  version: 0,
  underWay: [],
};

/** Judges one call at `now`. Windows are fixed and open with their first call; `ticket` names the call. */
export function admit(
  before: MeterState,
  { rateLimit, pricing, costMax, version }: Terms,
  ticket: string,
  now: number,
): Admission {
  // A call that still knows an earlier version says nothing of the present one.
  const standing = version > before.version ? WELL : before.breaker;
  const rest = restMs(standing, now);
  if (rest > 0) {
    return { admitted: false, refusal: "rest", retryAfterSeconds: Math.ceil(rest / 1_000) };
  }
  const windowSeconds = PERIOD_SECONDS[rateLimit.period];
  const open = now < before.windowStartedAt + windowSeconds * 1_000 && before.windowCalls > 0;
  const windowStartedAt = open ? before.windowStartedAt : now;
  const callsBefore = open ? before.windowCalls : 0;
  const admitted = callsBefore < rateLimit.requests;
  const windowCalls = admitted ? callsBefore + 1 : callsBefore;
  const window: RateWindow = {
    limit: rateLimit.requests,
    remaining: Math.max(0, rateLimit.requests - windowCalls),
    windowSeconds,
    resetSeconds: Math.max(1, Math.ceil((windowStartedAt - now) / 1_000 + windowSeconds)),
  };
  if (!admitted) return { admitted, refusal: "rate", window };
  const month = monthOf(now);
  const monthCalls = (month === before.month ? before.monthCalls : 0) + 1;
  const cost = monthCalls <= pricing.free ? 0 : pricing.overage;
  if (costMax !== null && cost > costMax) {
    // It takes no place, so the window shows the one that it would have taken as free.
    const unspent = { ...window, remaining: window.remaining + 1 };
    return { admitted: false, refusal: "cost", window: unspent };
  }
  const breaker = afterAdmission(standing, now);
  const isProbe = isOpen(standing);
  const pass: Pass = { ticket, at: now, windowStartedAt, month, version, isProbe };
  const underWay = [...before.underWay.filter(({ at }) => at > now - LOST_CALL_MS), pass];
  const counted = { windowStartedAt, windowCalls, month, monthCalls };
  const state = { ...counted, breaker, version: Math.max(version, before.version), underWay };
  return { admitted, state, pass, cost, window };
}

/**
 * The meter after a call has ended; one that failed counts for nothing. A call that the meter does not
 * know, as it has lost its memory since, is counted now.
 */
export function settle(
  current: MeterState,
  pass: Pass,
  ended: { readonly ok: boolean; readonly health: Health },
  now: number,
): MeterState {
  const isKnown = current.underWay.some(({ ticket }) => ticket === pass.ticket);
  const before = isKnown ? current : rejoined(current, pass);
  const change = (ended.ok ? 1 : 0) - (isKnown ? 1 : 0);
  const { windowStartedAt, windowCalls, month, monthCalls, breaker } = before;
  const { isProbe } = pass;
  return {
    ...before,
    windowCalls:
      windowStartedAt === pass.windowStartedAt ? Math.max(0, windowCalls + change) : windowCalls,
    monthCalls: month === pass.month ? Math.max(0, monthCalls + change) : monthCalls,
    breaker: pass.version < before.version ? breaker : judged(breaker, ended.health, isProbe, now),
    underWay: before.underWay.filter(({ ticket }) => ticket !== pass.ticket),
  };
}

function judged(breaker: Breaker, health: Health, isProbe: boolean, now: number): Breaker {
  return health === "nothing"
    ? afterNothing(breaker, isProbe)
    : afterCall(breaker, { isWell: health === "well", isProbe }, now);
}

/** A meter that has forgotten the window or the month of a call learns of them from it. */
function rejoined(current: MeterState, { windowStartedAt, month }: Pass): MeterState {
  const isNewWindow = windowStartedAt > current.windowStartedAt;
  const isNewMonth = month > current.month;
  return {
    ...current,
    ...(isNewWindow ? { windowStartedAt, windowCalls: 0 } : {}),
    ...(isNewMonth ? { month, monthCalls: 0 } : {}),
  };
}

function monthOf(now: number): string {
  return new Date(now).toISOString().slice(0, 7);
}
