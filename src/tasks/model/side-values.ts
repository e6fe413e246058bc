import type { BreakerCheck } from "./no-progress.ts";
import type { AbandonedWork, DispatchedTurn } from "./turn.ts";

/** The values of a task's SideState. */
export interface SideValues {
  /** When the current lease expires, as renewed by heartbeats. */
  lease: { readonly seq: number; readonly expiresAt: number };
  turn: DispatchedTurn;
  abandoned: AbandonedWork;
  /** The ids of the approvals to withdraw. */
  withdrawn: readonly string[];
  breaker: BreakerCheck;
  /** The paused agent in whose queue the task waits. */
  pausedAgentId: string;
  /**
   * When the current platform outage began, in milliseconds since 1970. Stored because a waiting object is soon
   * evicted. This writes one row at the start of an outage and one at its end. The name is kept because earlier
   * releases stored it.
   */
  faultSince: number;
}
