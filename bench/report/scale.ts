import { nice, tickStep } from "d3-array";

/** If the largest and the smallest value differ by this factor, a linear axis hides the small values. */
const WIDE_FROM = 30;
const TICKS = 4;

/** Whether the values differ so much that they need a log scale. A log scale has no zero, so all must be positive. */
export function isWide(figures: readonly number[]): boolean {
  const least = Math.min(...figures);
  return least > 0 && Math.max(...figures) / least >= WIDE_FROM;
}

/** A scale from zero to a round number that no value exceeds. */
export function linearScale(figures: readonly number[]) {
  const [, max] = nice(0, Math.max(...figures), TICKS);
  return { type: "value" as const, min: 0, max, interval: tickStep(0, max, TICKS) };
}

/** A scale of whole powers of ten that contains all values. */
export function logScale(figures: readonly number[]) {
  return {
    type: "log" as const,
    logBase: 10,
    min: 10 ** Math.floor(Math.log10(Math.min(...figures))),
    max: 10 ** Math.ceil(Math.log10(Math.max(...figures))),
  };
}
