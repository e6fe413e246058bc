import type { Made } from "./made.ts";

const FIRST_PERCENT = 5;
const LAST_PERCENT = 90;
/** Half of the way is told after so many turns. */
const HALF_TURNS = 5;

/** How far the work has come after so many turns: ever nearer to 90, and never back. */
export function progressAt(number: number, before: number): number {
  const span = LAST_PERCENT - FIRST_PERCENT;
  const percent = FIRST_PERCENT + Math.floor((span * number) / (number + HALF_TURNS));
  return Math.max(before, percent);
}

/** What people read of a turn: "used table-analyst/correlate and 2 more". */
export function phaseOf(number: number, made: readonly Made[]): string {
  const done = made.flatMap(({ used, file }) => {
    if (file !== null) return [`wrote ${file.name}`];
    return used === null ? [] : [`used ${used}`];
  });
  const [first] = done;
  if (first === undefined) return `turn ${number}`;
  return done.length === 1 ? first : `${first} and ${done.length - 1} more`;
}
