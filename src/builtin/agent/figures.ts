import { formatCount } from "../../kernel/text.ts";

const EXPONENT_FROM = 1e15;
const EXPONENT_BELOW = 1e-4;
const FRACTION_DIGITS_MAX = 20;
// Four-digit numbers are not grouped because they may be years. Chart axes follow the same rule.
const FORMAT = new Intl.NumberFormat("en-US", {
  maximumFractionDigits: FRACTION_DIGITS_MAX,
  useGrouping: "min2",
});

/** Formats a number with all its digits for a sentence or a table: 4202, 61,650, -0.5839 or 1e-7. */
export function formatFigure(figure: number): string {
  const size = Math.abs(figure);
  if (size !== 0 && (size < EXPONENT_BELOW || size >= EXPONENT_FROM)) return String(figure);
  return FORMAT.format(figure);
}

/** "1 row", "61,650 rows". */
export function formatAmount(count: number, noun: string): string {
  return formatCount(count, noun).replace(/^\d+/, formatFigure(count));
}
