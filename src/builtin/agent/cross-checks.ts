import type { TableFindings, TextFindings } from "./findings.ts";
import type { ColumnProfile, OutlierFences, Correlation } from "./result-schemas.ts";

/** The result of comparing a figure with the result of a second, independent call. */
export type CrossCheck = "confirmed" | "contradicted" | "unchecked";

/** Both figures are rounded to four significant digits, and a sum over groups accumulates rounding errors. */
const TOLERANCE = 0.001;

/** Checks a column's mean against the group sums, if the groups cover all its values. */
export function checkMean({ groupings }: TableFindings, column: ColumnProfile): CrossCheck {
  const { mean, min, max } = column;
  if (mean === null || typeof min !== "number" || typeof max !== "number") return "unchecked";
  for (const { column: name, groups } of groupings) {
    const count = groups.reduce((total, group) => total + group.count, 0);
    if (name !== column.name || count !== column.count || count === 0) continue;
    const sum = groups.reduce((total, group) => total + (group.sum ?? NaN), 0);
    if (!Number.isFinite(sum)) continue;
    return compareFigures(sum / count, mean, Math.max(Math.abs(min), Math.abs(max)));
  }
  return "unchecked";
}

/** Checks a correlation against the line fitted to the same two columns. */
export function checkCorrelation(
  { trends }: TableFindings,
  { x, y, r, n }: Correlation,
): CrossCheck {
  const line = trends.find(
    (trend) => (trend.column === y && trend.by === x) || (trend.column === x && trend.by === y),
  );
  if (line === undefined || line.n !== n || line.r2 === null || line.slope === null) {
    return "unchecked";
  }
  return compareFigures(Math.sign(line.slope) * Math.sqrt(line.r2), r, 1);
}

/** Checks Tukey's fences against the quartiles in the profile. */
export function checkOutlierFences({ profile }: TableFindings, fences: OutlierFences): CrossCheck {
  const column = profile?.columns.find(({ name }) => name === fences.column);
  const { q1 = null, q3 = null } = column ?? {};
  if (q1 === null || q3 === null || fences.lower === null || fences.upper === null) {
    return "unchecked";
  }
  // Each fence is a quartile plus or minus 1.5 times the interquartile range.
  const scale = 4 * Math.max(Math.abs(q1), Math.abs(q3));
  const reach = 1.5 * (q3 - q1);
  const lower = compareFigures(q1 - reach, fences.lower, scale);
  return lower === "confirmed" ? compareFigures(q3 + reach, fences.upper, scale) : lower;
}

/** Checks that different capabilities report the same length for a text. */
export function checkTextLength({ readability, extract, keywords }: TextFindings): CrossCheck {
  if (readability === null) return "unchecked";
  const words = keywords?.words ?? null;
  const checks = [
    ...(words === null ? [] : [compareFigures(words, readability.words, readability.words)]),
    ...(extract === null
      ? []
      : [compareFigures(extract.ofSentences, readability.sentences, readability.sentences)]),
  ];
  if (checks.includes("contradicted")) return "contradicted";
  return checks.length === 0 ? "unchecked" : "confirmed";
}

function compareFigures(second: number, figure: number, scale: number): CrossCheck {
  return Math.abs(second - figure) <= TOLERANCE * scale ? "confirmed" : "contradicted";
}
