import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../../kernel/units.ts";
import type { LimitPeriod } from "./limit.ts";

/** A window of a limit, in milliseconds since 1970. `endsAt` is excluded, and null if the window never ends. */
export interface LimitWindow {
  readonly startsAt: number;
  readonly endsAt: number | null;
}

/**
 * Whether the runtime knows the time zone. Offsets such as `+01:00` are not IANA names and ignore daylight saving time.
 */
export function isTimeZone(name: string): boolean {
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    return new Intl.DateTimeFormat("en", { timeZone: name }).format(0) !== "";
  } catch {
    return false;
  }
}

/**
 * The window that contains `now`. Days, weeks (from Monday) and months begin when their first date begins in the time
 * zone, so a day has 23 or 25 hours if the clock changes. The window of a limit per call is a day, in which its events
 * occur at most once.
 */
export function windowOf(per: LimitPeriod, timeZone: string, now: number): LimitWindow {
  if (per === "total") return { startsAt: 0, endsAt: null };
  const format = dateFormatOf(timeZone);
  const today = dateOf(format, now);
  const [first, next] = boundaryDates(per, today);
  return { startsAt: startOfDate(format, first), endsAt: startOfDate(format, next) };
}

/** A date in the proleptic Gregorian calendar, as the time of its midnight in UTC. */
type CalendarDate = number;

function boundaryDates(
  per: Exclude<LimitPeriod, "total">,
  today: CalendarDate,
): [first: CalendarDate, next: CalendarDate] {
  const date = new Date(today);
  switch (per) {
    case "call":
    case "day":
      return [today, today + DAY_MS];
    case "week": {
      const monday = today - ((date.getUTCDay() + 6) % 7) * DAY_MS;
      return [monday, monday + 7 * DAY_MS];
    }
    case "month": {
      const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()];
      return [Date.UTC(year, month), Date.UTC(year, month + 1)];
    }
  }
}

function dateFormatOf(timeZone: string): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat("en-u-ca-gregory-nu-latn", {
    timeZone,
    year: "numeric",
    month: "numeric",
    day: "numeric",
  });
}

/** The date in the format's time zone. */
function dateOf(format: Intl.DateTimeFormat, at: number): CalendarDate {
  const parts = new Map(format.formatToParts(at).map(({ type, value }) => [type, Number(value)]));
  return Date.UTC(parts.get("year") ?? 0, (parts.get("month") ?? 0) - 1, parts.get("day") ?? 0);
}

/** No time zone differs from UTC by more. */
const OFFSET_MAX_MS = 26 * HOUR_MS;

/**
 * The first minute with this date or a later one. A search finds it even if the clock skips midnight or the entire date.
 */
function startOfDate(format: Intl.DateTimeFormat, date: CalendarDate): number {
  let [before, from] = [date - OFFSET_MAX_MS, date + OFFSET_MAX_MS];
  while (from - before > MINUTE_MS) {
    const middle = before + Math.floor((from - before) / 2 / MINUTE_MS) * MINUTE_MS;
    if (dateOf(format, middle) >= date) from = middle;
    else before = middle;
  }
  return from;
}
