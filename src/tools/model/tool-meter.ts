import type { RateLimitWindow } from "../../kernel/failure.ts";
import {
  CALL_LOST_AFTER_MS,
  METER_AGENTS_MAX,
  BREAKER_FAILURES_MAX,
  BREAKER_OPEN_MAX_MS,
  BREAKER_OPEN_MIN_MS,
  TOOL_TIMEOUT_MAX_MS,
} from "../limits.ts";
import type { Pricing, RateLimit, RatePeriod } from "./tool.ts";

/**
 * A circuit breaker, either for all calls to a tool or for one agent's calls to it. While it is open, calls fail until
 * `restsUntil`; then one probe at a time is sent. Field names in this file must not change, because they are stored or
 * exchanged between releases.
 */
export interface CircuitBreaker {
  readonly failures: number;
  /**
   * How many times in a row the breaker has opened, 0 while it is closed. Each open period is twice as long as the one
   * before, up to BREAKER_OPEN_MAX_MS.
   */
  readonly rests: number;
  readonly restsUntil: number;
  /** When a running probe is considered lost. */
  readonly probeEndsAt: number;
}

export const CLOSED_BREAKER: CircuitBreaker = {
  failures: 0,
  rests: 0,
  restsUntil: 0,
  probeEndsAt: 0,
};

/** Long enough for both attempts of a call whose token is renewed. */
const PROBE_MS = 2 * TOOL_TIMEOUT_MAX_MS;

/** How long a call must wait, in milliseconds; 0 if it need not wait. */
export function waitMsOf(breaker: CircuitBreaker, now: number): number {
  if (!isBreakerOpen(breaker)) return 0;
  return Math.max(0, breaker.restsUntil - now, breaker.probeEndsAt - now);
}

/** The breaker after a call is admitted. If it is open, that call is the probe. */
export function startProbe(breaker: CircuitBreaker, now: number): CircuitBreaker {
  return isBreakerOpen(breaker) ? { ...breaker, probeEndsAt: now + PROBE_MS } : breaker;
}

/** The breaker after a call ends. While it is open, only the probe counts, because other calls began earlier. */
export function recordCallResult(
  breaker: CircuitBreaker,
  health: UpstreamHealth,
  isProbe: boolean,
  now: number,
): CircuitBreaker {
  // If a probe did not reach the system, the next call is a probe.
  if (health === "unknown") return isProbe ? { ...breaker, probeEndsAt: 0 } : breaker;
  if (isBreakerOpen(breaker) && !isProbe) return breaker;
  if (health === "healthy") return CLOSED_BREAKER;
  const failures = breaker.failures + 1;
  if (failures < BREAKER_FAILURES_MAX) return { ...breaker, failures };
  const openMs = Math.min(BREAKER_OPEN_MIN_MS * 2 ** breaker.rests, BREAKER_OPEN_MAX_MS);
  return { failures, rests: breaker.rests + 1, restsUntil: now + openMs, probeEndsAt: 0 };
}

export function isBreakerOpen(breaker: CircuitBreaker): boolean {
  return breaker.rests > 0;
}

const PERIOD_SECONDS: Readonly<Record<RatePeriod, number>> = {
  second: 1,
  minute: 60,
  hour: 3_600,
  day: 86_400,
};

/** What a tool's meter tracks for one agent, in addition to the tool's own counts. */
export interface AgentMeter {
  readonly agentId: string;
  readonly windowCalls: number;
  readonly breaker: CircuitBreaker;
}

/** A tool meter's state: the current window, the calendar month (UTC) and the circuit breaker. */
export interface MeterState {
  readonly windowStartedAt: number;
  readonly windowCalls: number;
  readonly month: string;
  readonly monthCalls: number;
  readonly breaker: CircuitBreaker;
  /** The tool version whose failures the breaker counts. A new version starts with a closed breaker. */
  readonly version: number;
  /** Calls that have been counted but have not ended. */
  readonly underWay: readonly CallPermit[];
  /** The agents that called most recently, newest first. At most METER_AGENTS_MAX. */
  readonly callers: readonly AgentMeter[];
  /** Agents whose failures the tool's breaker has counted since the last success. Each agent counts once. */
  readonly failedAgentIds: readonly string[];
}

/** The permit of an admitted call: when the call was admitted, and which window and month counted it. */
export interface CallPermit {
  readonly ticket: string;
  readonly at: number;
  readonly windowStartedAt: number;
  readonly month: string;
  readonly version: number;
  readonly isProbe: boolean;
  /** The calling agent; absent if there is none. */
  readonly agentId?: string;
  /** Whether the call is a probe of the agent's own breaker. */
  readonly isAgentProbe?: boolean;
}

export type AdmissionTransition =
  | {
      readonly admitted: true;
      /** The meter after counting the call. */
      readonly state: MeterState;
      readonly pass: CallPermit;
      readonly cost: number;
      readonly window: RateLimitWindow;
    }
  | {
      readonly admitted: false;
      readonly reason: "rate" | "share" | "cost";
      readonly window: RateLimitWindow;
    }
  | {
      readonly admitted: false;
      readonly reason: "circuit_open";
      readonly retryAfterSeconds: number;
      /** Whether the wait is due to the agent's own breaker, and not to the tool's. */
      readonly isOwn: boolean;
    };

/**
 * What the meter needs to know about a call. `costMax` is its maximum cost in US dollars; null if there is no maximum.
 */
export interface CallTerms {
  readonly rateLimit: RateLimit;
  readonly pricing: Pricing;
  readonly costMax: number | null;
  readonly version: number;
  /** The calling agent; null for a call without an agent, which counts only towards the tool's limits. */
  readonly agentId: string | null;
  /** Whether other agents also have a grant for the tool. */
  readonly isShared: boolean;
}

/** What a call reveals about the system behind the tool; `unknown` if it did not reach the system. */
export type UpstreamHealth = "healthy" | "unhealthy" | "unknown";

export const INITIAL_METER_STATE: MeterState = {
  windowStartedAt: 0,
  windowCalls: 0,
  month: "",
  monthCalls: 0,
  breaker: CLOSED_BREAKER,
  version: 0,
  underWay: [],
  callers: [],
  failedAgentIds: [],
};

/** Decides whether to admit a call. Windows have a fixed length and start with their first call. */
export function admitCall(
  before: MeterState,
  { rateLimit, pricing, costMax, version, agentId, isShared }: CallTerms,
  ticket: string,
  now: number,
): AdmissionTransition {
  // Failures of an earlier version do not count against the current one.
  const isNewVersion = version > before.version;
  const toolBreaker = isNewVersion ? CLOSED_BREAKER : before.breaker;
  const known = isNewVersion
    ? before.callers.map((caller) => ({ ...caller, breaker: CLOSED_BREAKER }))
    : before.callers;
  const caller = agentId === null ? null : findAgentMeter(known, agentId);
  const toolWaitMs = waitMsOf(toolBreaker, now);
  const waitMs = Math.max(toolWaitMs, caller === null ? 0 : waitMsOf(caller.breaker, now));
  if (waitMs > 0) {
    const retryAfterSeconds = Math.ceil(waitMs / 1_000);
    const isOwn = waitMs > toolWaitMs;
    return { admitted: false, reason: "circuit_open", retryAfterSeconds, isOwn };
  }
  const windowSeconds = PERIOD_SECONDS[rateLimit.period];
  const open = now < before.windowStartedAt + windowSeconds * 1_000 && before.windowCalls > 0;
  const windowStartedAt = open ? before.windowStartedAt : now;
  const callsBefore = open ? before.windowCalls : 0;
  const admitted = callsBefore < rateLimit.requests;
  const windowCalls = admitted ? callsBefore + 1 : callsBefore;
  const window: RateLimitWindow = {
    limit: rateLimit.requests,
    remaining: Math.max(0, rateLimit.requests - windowCalls),
    windowSeconds,
    resetSeconds: Math.max(1, Math.ceil((windowStartedAt - now) / 1_000 + windowSeconds)),
  };
  if (!admitted) return { admitted, reason: "rate", window };
  // The window for a call that is rejected for another reason and therefore not counted.
  const uncounted = { ...window, remaining: window.remaining + 1 };
  const agentCalls = open && caller !== null ? caller.windowCalls : 0;
  if (isShared && !isWithinFairShare(agentCalls, rateLimit.requests - callsBefore)) {
    return { admitted: false, reason: "share", window: uncounted };
  }
  const month = new Date(now).toISOString().slice(0, 7);
  const monthCalls = (month === before.month ? before.monthCalls : 0) + 1;
  const cost = monthCalls <= pricing.free ? 0 : pricing.overage;
  if (costMax !== null && cost > costMax) {
    return { admitted: false, reason: "cost", window: uncounted };
  }
  const pass: CallPermit = {
    ticket,
    at: now,
    windowStartedAt,
    month,
    version,
    isProbe: isBreakerOpen(toolBreaker),
    ...(caller === null
      ? {}
      : { agentId: caller.agentId, isAgentProbe: isBreakerOpen(caller.breaker) }),
  };
  const others = open ? known : startNewWindow(known);
  const state: MeterState = {
    windowStartedAt,
    windowCalls,
    month,
    monthCalls,
    breaker: startProbe(toolBreaker, now),
    version: Math.max(version, before.version),
    underWay: [...before.underWay.filter(({ at }) => at > now - CALL_LOST_AFTER_MS), pass],
    callers:
      caller === null
        ? others
        : putAgentMeter(others, {
            agentId: caller.agentId,
            windowCalls: agentCalls + 1,
            breaker: startProbe(caller.breaker, now),
          }),
    failedAgentIds: isNewVersion ? [] : before.failedAgentIds,
  };
  return { admitted, state, pass, cost, window };
}

/**
 * The meter after a call ends. A failed call does not count. A call that the meter has forgotten is counted now if it
 * succeeded.
 */
export function settleCall(
  current: MeterState,
  pass: CallPermit,
  ended: { readonly ok: boolean; readonly health: UpstreamHealth },
  now: number,
): MeterState {
  const isKnown = current.underWay.some(({ ticket }) => ticket === pass.ticket);
  const before = isKnown ? current : restoreCounts(current, pass);
  const change = (ended.ok ? 1 : 0) - (isKnown ? 1 : 0);
  const { windowStartedAt, windowCalls, month, monthCalls } = before;
  const isSameWindow = windowStartedAt === pass.windowStartedAt;
  const isJudged = pass.version >= before.version;
  return {
    ...before,
    windowCalls: isSameWindow ? Math.max(0, windowCalls + change) : windowCalls,
    monthCalls: month === pass.month ? Math.max(0, monthCalls + change) : monthCalls,
    underWay: before.underWay.filter(({ ticket }) => ticket !== pass.ticket),
    callers: settleAgentMeters(before.callers, pass, {
      change: isSameWindow ? change : 0,
      health: isJudged ? ended.health : null,
      now,
    }),
    ...(isJudged ? settleToolBreaker(before, pass, ended.health, now) : {}),
  };
}

/** The callers after a call ends. `health` is null if the call was to an earlier version of the tool. */
function settleAgentMeters(
  callers: readonly AgentMeter[],
  { agentId, isAgentProbe = false }: CallPermit,
  { change, health, now }: { change: number; health: UpstreamHealth | null; now: number },
): readonly AgentMeter[] {
  if (agentId === undefined) return callers;
  const caller = findAgentMeter(callers, agentId);
  const { windowCalls, breaker } = caller;
  return putAgentMeter(callers, {
    ...caller,
    windowCalls: Math.max(0, windowCalls + change),
    breaker: health === null ? breaker : recordCallResult(breaker, health, isAgentProbe, now),
  });
}

/**
 * The tool's breaker after a call ends. Until a call succeeds, each agent's failures count only once, so that no single
 * agent opens the breaker for others.
 */
function settleToolBreaker(
  { breaker, failedAgentIds }: MeterState,
  { agentId, isProbe, isAgentProbe = false }: CallPermit,
  health: UpstreamHealth,
  now: number,
): Pick<MeterState, "breaker" | "failedAgentIds"> {
  const isFailure = health === "unhealthy" && agentId !== undefined;
  const hasFailed = isFailure && failedAgentIds.includes(agentId);
  const isIgnored = isFailure && (isBreakerOpen(breaker) ? isAgentProbe : hasFailed);
  const after = recordCallResult(breaker, isIgnored ? "unknown" : health, isProbe, now);
  if (after.failures === 0) return { breaker: after, failedAgentIds: [] };
  const isFirst = isFailure && !hasFailed && !isBreakerOpen(breaker);
  return {
    breaker: after,
    failedAgentIds: isFirst ? [...failedAgentIds, agentId] : failedAgentIds,
  };
}

/** Restores the window or month in which a forgotten call was counted. */
function restoreCounts(current: MeterState, { windowStartedAt, month }: CallPermit): MeterState {
  const isNewWindow = windowStartedAt > current.windowStartedAt;
  const isNewMonth = month > current.month;
  return {
    ...current,
    ...(isNewWindow
      ? { windowStartedAt, windowCalls: 0, callers: startNewWindow(current.callers) }
      : {}),
    ...(isNewMonth ? { month, monthCalls: 0 } : {}),
  };
}

/**
 * An agent may make about this many times as many calls as it leaves for others. One busy agent gets 4/5 of a window,
 * two get 4/9 each, and so on.
 */
const SHARE_FACTOR = 4;

function findAgentMeter(callers: readonly AgentMeter[], agentId: string): AgentMeter {
  const known = callers.find((caller) => caller.agentId === agentId);
  return known ?? { agentId, windowCalls: 0, breaker: CLOSED_BREAKER };
}

/** Updates one caller, and drops the least recent caller if there are too many. */
function putAgentMeter(callers: readonly AgentMeter[], caller: AgentMeter): readonly AgentMeter[] {
  const others = callers.filter(({ agentId }) => agentId !== caller.agentId);
  return [caller, ...others].slice(0, METER_AGENTS_MAX);
}

/** The callers when a new window opens. Only failures carry over. */
function startNewWindow(callers: readonly AgentMeter[]): readonly AgentMeter[] {
  return callers
    .filter(({ breaker }) => breaker.failures > 0)
    .map((caller) => ({ ...caller, windowCalls: 0 }));
}

/**
 * Whether an agent may make one of the `free` remaining calls: its first in the window, or another if more than one
 * remains and it has made fewer than SHARE_FACTOR times as many calls as remain.
 */
function isWithinFairShare(windowCalls: number, free: number): boolean {
  if (windowCalls === 0) return free > 0;
  return free > 1 && windowCalls < SHARE_FACTOR * free;
}
