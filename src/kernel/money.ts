const MICRO_DOLLARS = 1_000_000;

/** The sum of amounts in dollars, rounded to the millionth to remove binary noise. */
export function sumDollars(amounts: readonly number[]): number {
  const micro = amounts.reduce((sum, amount) => sum + Math.round(amount * MICRO_DOLLARS), 0);
  return micro / MICRO_DOLLARS;
}
