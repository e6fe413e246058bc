/** Sizes in bytes and durations in milliseconds. */
export const KIB = 1024;

export const SECOND_MS = 1000;

export const MINUTE_MS = 60 * SECOND_MS;

export const HOUR_MS = 60 * MINUTE_MS;

export const DAY_MS = 24 * HOUR_MS;

const MICRO_DOLLARS = 1_000_000;

/** Adds amounts in dollars, each rounded to a millionth to avoid floating-point noise. */
export function sumDollars(amounts: readonly number[]): number {
  const micro = amounts.reduce((sum, amount) => sum + Math.round(amount * MICRO_DOLLARS), 0);
  return micro / MICRO_DOLLARS;
}
