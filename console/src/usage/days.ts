import { dayOf } from "./search.ts";

const DAY_MS = 86_400_000;

/** The last days up to the day of `now`, in UTC. */
export function lastDays(
  count: number,
  now: number,
): { readonly from: string; readonly to: string } {
  return { from: dayOf(now - (count - 1) * DAY_MS), to: dayOf(now) };
}

export interface Counted {
  readonly calls: number;
  readonly failed: number;
  readonly cost: number;
}

export interface DayRow extends Counted {
  readonly day: string;
}

/** One row for each day of the period. Days without calls have zeros. */
export function withEmptyDays(
  rows: readonly (Counted & { readonly day?: string })[],
  { from, to }: { readonly from: string; readonly to: string },
): readonly DayRow[] {
  const byDay = new Map(rows.map((row) => [row.day, row]));
  const first = Date.parse(`${from}T00:00:00Z`);
  const last = Date.parse(`${to}T00:00:00Z`);
  const count = Math.max(0, Math.round((last - first) / DAY_MS) + 1);
  return Array.from({ length: count }, (_, index) => {
    const day = dayOf(first + index * DAY_MS);
    const { calls = 0, failed = 0, cost = 0 } = byDay.get(day) ?? {};
    return { day, calls, failed, cost };
  });
}
