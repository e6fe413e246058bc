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

/** What one agent made of a tool on one day (UTC). */
export interface DayUsage {
  /** `2026-11-21`. */
  readonly day: string;
  readonly agentId: string | null;
  readonly calls: number;
  readonly failed: number;
  readonly cost: number;
  readonly durationMs: number;
}

/** The days (UTC) of a report that ends with the day of `now`. */
export function firstDay(now: number, days: number): string {
  return dayOf(now - (days - 1) * DAY_MS);
}

export function dayOf(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}

const DAY_MS = 86_400_000;
