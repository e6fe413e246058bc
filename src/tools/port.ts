import type { Breaker } from "../domain/breaker.ts";
import type { CallerState } from "../domain/callers.ts";
import type { Admission, Health, Pass, Terms } from "../domain/meter.ts";
import type { CallRecord, DayUsage, UsageScope } from "../domain/usage.ts";

/** What a tool's meter does, as its callers see it. */
export interface MeterPort {
  /** Counts a call against the rate limit and prices it, or says when to come again. */
  admit(terms: Terms): Promise<Verdict>;
  /** Writes down how an admitted call ended; one that failed gives back its place and its price. */
  settle(pass: Pass, call: CallRecord, health: Health): Promise<void>;
  /** Usage within `scope` from a day on, oldest first, and the last calls, newest first. */
  usage(from: string, scope: UsageScope): Promise<UsageReport>;
}

/** An admission as callers see it: without the meter's own state. */
export type Verdict =
  | Omit<Extract<Admission, { admitted: true }>, "state">
  | Extract<Admission, { admitted: false }>;

export interface UsageReport {
  readonly days: readonly DayUsage[];
  readonly recent: readonly CallRecord[];
  readonly breaker: Breaker;
  /** Open circuits of agents within the scope. */
  readonly agentBreakers: readonly Pick<CallerState, "agentId" | "breaker">[];
}

/** The meter of a tool. */
export function meterOf(meters: Env["METERS"], toolId: string): MeterPort {
  return meters.get(meters.idFromName(toolId));
}
