import {
  afterAdmission,
  afterCall,
  afterNothing,
  isOpen,
  restMs,
  WELL,
  type Breaker,
} from "./breaker.ts";
import {
  callerIn,
  inNewWindow,
  isWithinShare,
  withCaller,
  withoutFailures,
  type Callers,
} from "./callers.ts";
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
  readonly callers: Callers;
  /** Agents whose failures the tool's breaker has counted since the last success: each counts once. */
  readonly failedAgentIds: readonly string[];
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
  /** The calling agent; absent for calls without an agent. */
  readonly agentId?: string;
  /** Whether the call tests if the agent's own calls succeed again. */
  readonly isAgentProbe?: boolean;
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
  | {
      readonly admitted: false;
      readonly refusal: "rate" | "share" | "cost";
      readonly window: RateWindow;
    }
  | {
      readonly admitted: false;
      readonly refusal: "rest";
      readonly retryAfterSeconds: number;
      /** Whether only the calling agent has to wait. */
      readonly isOwn: boolean;
    };

/** A tool's terms, and the most that the caller will pay for the call; null for any price. */
export interface Terms {
  readonly rateLimit: RateLimit;
  readonly pricing: Pricing;
  readonly costMax: number | null;
  /** The tool's own version. */
  readonly version: number;
  /** The calling agent; null for calls without an agent, which count for the tool only. */
  readonly agentId: string | null;
  /** Whether other agents have been granted the tool. */
  readonly isShared: boolean;
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
  callers: [],
  failedAgentIds: [],
};

/** Judges one call at `now`. Windows are fixed and open with their first call; `ticket` names the call. */
export function admit(
  before: MeterState,
  { rateLimit, pricing, costMax, version, agentId, isShared }: Terms,
  ticket: string,
  now: number,
): Admission {
  // A call that still knows an earlier version says nothing of the present one.
  const isNewVersion = version > before.version;
  const standing = isNewVersion ? WELL : before.breaker;
  const known = isNewVersion ? withoutFailures(before.callers) : before.callers;
  const caller = agentId === null ? null : callerIn(known, agentId);
  const toolRest = restMs(standing, now);
  const rest = Math.max(toolRest, caller === null ? 0 : restMs(caller.breaker, now));
  if (rest > 0) {
    const retryAfterSeconds = Math.ceil(rest / 1_000);
    return { admitted: false, refusal: "rest", retryAfterSeconds, isOwn: rest > toolRest };
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
  const agentCalls = open && caller !== null ? caller.windowCalls : 0;
  if (isShared && !isWithinShare(agentCalls, rateLimit.requests - callsBefore)) {
    const untaken = { ...window, remaining: window.remaining + 1 };
    return { admitted: false, refusal: "share", window: untaken };
  }
  const month = monthOf(now);
  const monthCalls = (month === before.month ? before.monthCalls : 0) + 1;
  const cost = monthCalls <= pricing.free ? 0 : pricing.overage;
  if (costMax !== null && cost > costMax) {
    // It takes no place, so the window shows the one that it would have taken as free.
    const unspent = { ...window, remaining: window.remaining + 1 };
    return { admitted: false, refusal: "cost", window: unspent };
  }
  const pass: Pass = {
    ticket,
    at: now,
    windowStartedAt,
    month,
    version,
    isProbe: isOpen(standing),
    ...(caller === null ? {} : { agentId: caller.agentId, isAgentProbe: isOpen(caller.breaker) }),
  };
  const others = open ? known : inNewWindow(known);
  const state: MeterState = {
    windowStartedAt,
    windowCalls,
    month,
    monthCalls,
    breaker: afterAdmission(standing, now),
    version: Math.max(version, before.version),
    underWay: [...before.underWay.filter(({ at }) => at > now - LOST_CALL_MS), pass],
    callers:
      caller === null
        ? others
        : withCaller(others, {
            agentId: caller.agentId,
            windowCalls: agentCalls + 1,
            breaker: afterAdmission(caller.breaker, now),
          }),
    failedAgentIds: isNewVersion ? [] : before.failedAgentIds,
  };
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
  const { windowStartedAt, windowCalls, month, monthCalls } = before;
  const isSameWindow = windowStartedAt === pass.windowStartedAt;
  const isJudged = pass.version >= before.version;
  return {
    ...before,
    windowCalls: isSameWindow ? Math.max(0, windowCalls + change) : windowCalls,
    monthCalls: month === pass.month ? Math.max(0, monthCalls + change) : monthCalls,
    underWay: before.underWay.filter(({ ticket }) => ticket !== pass.ticket),
    callers: callersAfter(before.callers, pass, {
      change: isSameWindow ? change : 0,
      health: isJudged ? ended.health : null,
      now,
    }),
    ...(isJudged ? toolAfter(before, pass, ended.health, now) : {}),
  };
}

/** The callers after a call has ended; `health` is null if the call was to another version of the tool. */
function callersAfter(
  callers: Callers,
  { agentId, isAgentProbe = false }: Pass,
  { change, health, now }: { change: number; health: Health | null; now: number },
): Callers {
  if (agentId === undefined) return callers;
  const caller = callerIn(callers, agentId);
  const { windowCalls, breaker } = caller;
  return withCaller(callers, {
    ...caller,
    windowCalls: Math.max(0, windowCalls + change),
    breaker: health === null ? breaker : judged(breaker, health, isAgentProbe, now),
  });
}

/**
 * The tool's breaker after a call. An agent's failures count once until a call succeeds, so that no single
 * agent opens the breaker for others. A failed probe by an agent whose own calls keep failing does not count.
 */
function toolAfter(
  { breaker, failedAgentIds }: MeterState,
  { agentId, isProbe, isAgentProbe = false }: Pass,
  health: Health,
  now: number,
): Pick<MeterState, "breaker" | "failedAgentIds"> {
  const isFailure = health === "ill" && agentId !== undefined;
  const hasFailed = isFailure && failedAgentIds.includes(agentId);
  const isIgnored = isFailure && (isOpen(breaker) ? isAgentProbe : hasFailed);
  const after = judged(breaker, isIgnored ? "nothing" : health, isProbe, now);
  if (after.failures === 0) return { breaker: after, failedAgentIds: [] };
  const isFirst = isFailure && !hasFailed && !isOpen(breaker);
  return {
    breaker: after,
    failedAgentIds: isFirst ? [...failedAgentIds, agentId] : failedAgentIds,
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
    ...(isNewWindow
      ? { windowStartedAt, windowCalls: 0, callers: inNewWindow(current.callers) }
      : {}),
    ...(isNewMonth ? { month, monthCalls: 0 } : {}),
  };
}

function monthOf(now: number): string {
  return new Date(now).toISOString().slice(0, 7);
}
