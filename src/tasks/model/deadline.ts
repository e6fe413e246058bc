import { DEADLINE_YEARS_MAX } from "../limits.ts";

/** What is wrong with a deadline seen at `now`, or null when it will do. Both in milliseconds since 1970. */
export function checkDeadline(deadline: number, now: number): string | null {
  if (deadline <= now) {
    return `must lie in the future, got ${iso(deadline)} and it is ${iso(now)}`;
  }
  const latest = new Date(now);
  latest.setUTCFullYear(latest.getUTCFullYear() + DEADLINE_YEARS_MAX);
  if (deadline > latest.getTime()) {
    return `must lie at most ${DEADLINE_YEARS_MAX} years ahead, got ${iso(deadline)}`;
  }
  return null;
}

function iso(at: number): string {
  return new Date(at).toISOString();
}
