import { CLOSED_BREAKER, type CircuitBreaker } from "./circuit-breaker.ts";
import { METER_AGENTS_MAX } from "../limits.ts";

/** A tool meter's state for one agent, in addition to the tool's own counts. */
export interface AgentMeter {
  readonly agentId: string;
  /** Its calls in the tool's current window. */
  readonly windowCalls: number;
  readonly breaker: CircuitBreaker;
}

/** The agents that called most recently, newest first; at most METER_AGENTS_MAX. */
export type AgentMeters = readonly AgentMeter[];

/** One busy agent gets 4/5 of a window, two get 4/9 each, and so on. */
const SHARE_FACTOR = 4;

export function findAgentMeter(callers: AgentMeters, agentId: string): AgentMeter {
  const known = callers.find((caller) => caller.agentId === agentId);
  return known ?? { agentId, windowCalls: 0, breaker: CLOSED_BREAKER };
}

/** The callers with one updated; drops the least recent caller if there are too many. */
export function putAgentMeter(callers: AgentMeters, caller: AgentMeter): AgentMeters {
  const others = callers.filter(({ agentId }) => agentId !== caller.agentId);
  return [caller, ...others].slice(0, METER_AGENTS_MAX);
}

/** The callers when a new window opens; only their failures carry over. */
export function startNewWindow(callers: AgentMeters): AgentMeters {
  return callers
    .filter(({ breaker }) => breaker.failures > 0)
    .map((caller) => ({ ...caller, windowCalls: 0 }));
}

/** The callers for a new version of the tool; failures of the old version do not count. */
export function clearFailures(callers: AgentMeters): AgentMeters {
  return callers.map((caller) => ({ ...caller, breaker: CLOSED_BREAKER }));
}

/**
 * Whether an agent may make one more of the `free` calls in a window that it shares with other agents. It gets
 * at most SHARE_FACTOR times the calls that it leaves to them, and the last call only if it has made none.
 */
export function isWithinFairShare(windowCalls: number, free: number): boolean {
  if (windowCalls === 0) return free > 0;
  return free > 1 && windowCalls < SHARE_FACTOR * free;
}
