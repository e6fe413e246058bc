import { RECENT_CALLS_MAX, USAGE_AGENTS_MAX } from "./limits.ts";
import { sumOf } from "./money.ts";

/** One call of a tool that was let through, as its meter remembers it. */
export interface CallRecord {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly capability: string;
  /** Null: called by nobody in particular. */
  readonly agentId: string | null;
  readonly taskId: string | null;
  /** The error code of the answer; null for a call that succeeded. */
  readonly code: string | null;
  /** In US dollars; 0 for a call that failed. */
  readonly cost: number;
  readonly durationMs: number;
}

/** What one agent made of a tool on one day (UTC), `2026-11-21`. */
export interface DayUsage {
  readonly day: string;
  readonly agentId: string | null;
  readonly calls: number;
  readonly failed: number;
  readonly cost: number;
  readonly durationMs: number;
}

/** A day's usage, an entry for each agent that called. */
export type Day = readonly DayUsage[];

/** The last calls, newest first, once there is one more. */
export function withRecent(recent: readonly CallRecord[], call: CallRecord): CallRecord[] {
  return [call, ...recent.slice(0, RECENT_CALLS_MAX - 1)];
}

/** Stands for the agents of a day beyond its first thousand; no agent's id begins with it. */
export const OTHERS = "*";

/** A day's usage once one more call of that day has ended. */
export function withCall(before: Day, call: CallRecord): Day {
  const isKnown = before.some(({ agentId }) => agentId === call.agentId);
  const named = isKnown || before.length < USAGE_AGENTS_MAX ? call.agentId : OTHERS;
  const others = before.filter(({ agentId }) => agentId !== named);
  const own = before.find(({ agentId }) => agentId === named);
  return [
    ...others,
    {
      day: dayOf(call.at),
      agentId: named,
      calls: (own?.calls ?? 0) + 1,
      failed: (own?.failed ?? 0) + (call.code === null ? 0 : 1),
      cost: sumOf([own?.cost ?? 0, call.cost]),
      durationMs: (own?.durationMs ?? 0) + call.durationMs,
    },
  ];
}

/** The first of the `days` days (UTC) that end with the day of `now`. */
export function firstDay(now: number, days: number): string {
  return dayOf(now - (days - 1) * DAY_MS);
}

export function dayOf(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}

const DAY_MS = 86_400_000;
