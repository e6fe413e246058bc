/**
 * The two-sided p-value of Student's t test that a correlation r over n points, or the slope of its
 * regression line, is zero. NaN below three points, where there is nothing to test.
 *
 * The closed form for whole degrees of freedom, Abramowitz and Stegun 26.7.3 and 26.7.4, in which
 * sin θ is |r| and cos θ is √(1 - r²).
 */
export function correlationPValue(r: number, n: number): number {
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
