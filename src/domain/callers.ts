import { WELL, type Breaker } from "./breaker.ts";
import { METER_AGENTS_MAX } from "./limits.ts";

/** What a tool's meter remembers of one agent, in addition to the tool's own counts. */
export interface CallerState {
  readonly agentId: string;
  /** Its calls in the tool's open window. */
  readonly windowCalls: number;
  readonly breaker: Breaker;
}

/** The agents that called last, the most recent first; at most METER_AGENTS_MAX. */
export type Callers = readonly CallerState[];

/** One busy agent gets four fifths of a window, two get four ninths each, and so on. */
const SHARE_FACTOR = 4;

export function callerIn(callers: Callers, agentId: string): CallerState {
  const known = callers.find((caller) => caller.agentId === agentId);
  return known ?? { agentId, windowCalls: 0, breaker: WELL };
}

/** The callers with a new state of one of them; the least recent is forgotten when there are too many. */
export function withCaller(callers: Callers, caller: CallerState): Callers {
  const others = callers.filter(({ agentId }) => agentId !== caller.agentId);
  return [caller, ...others].slice(0, METER_AGENTS_MAX);
}

/** The callers when a new window opens: only failures are carried over. */
export function inNewWindow(callers: Callers): Callers {
  return callers
    .filter(({ breaker }) => breaker.failures > 0)
    .map((caller) => ({ ...caller, windowCalls: 0 }));
}

/** The callers of a new version of the tool, whose failures say nothing of it. */
export function withoutFailures(callers: Callers): Callers {
  return callers.map((caller) => ({ ...caller, breaker: WELL }));
}

/**
 * Whether an agent may have one more of the `free` calls of a window that it shares with other agents. It
 * gets at most SHARE_FACTOR times what it leaves to them, and never the last call in addition to others.
 */
export function isWithinShare(windowCalls: number, free: number): boolean {
  if (windowCalls === 0) return free > 0;
  return free > 1 && windowCalls < SHARE_FACTOR * free;
}
