/** The conventional significance level. */
export const SIGNIFICANCE_LEVEL = 0.05;

/**
 * The two-sided p-value of a correlation r over n points, by Student's t test of the hypothesis that the true
 * correlation is zero. NaN for fewer than three points. Uses the closed form in Abramowitz and Stegun, 26.7.3 and
 * 26.7.4, where sin θ is |r| and cos θ is √(1 - r²).
 */
export function computeCorrelationPValue(r: number, n: number): number {
  const freedom = n - 2;
  if (freedom < 1) return NaN;
  const sine = Math.min(Math.abs(r), 1);
  const cosineSquared = 1 - sine * sine;
  const isOdd = freedom % 2 === 1;
  let term = isOdd ? Math.sqrt(cosineSquared) : 1;
  let series = freedom === 1 ? 0 : term;
  for (let k = isOdd ? 3 : 2; k < freedom; k += 2) {
    term *= ((k - 1) / k) * cosineSquared;
    series += term;
  }
  const within = isOdd ? (2 / Math.PI) * (Math.asin(sine) + sine * series) : sine * series;
  return Math.max(0, 1 - within);
}

/** The two-sided p-value of Student's t for a whole number of degrees of freedom. NaN for less than one. */
export function computeTPValue(t: number, freedom: number): number {
  // A correlation r over n points has t = r √(n - 2) / √(1 - r²).
  const r = Number.isFinite(t) ? t / Math.sqrt(t * t + freedom) : 1;
  return computeCorrelationPValue(r, freedom + 2);
}
