const SIGNIFICANT_DIGITS = 4;

/** Rounds to four significant digits (43.92193 → 43.92). Never returns -0. */
export function roundToFourDigits(n: number): number {
  const rounded = Number(n.toPrecision(SIGNIFICANT_DIGITS)) + 0;
  // The largest doubles would be rounded up to Infinity, which JSON cannot represent.
  return Number.isFinite(rounded) ? rounded : n;
}
