import type { TableFindings, TextFindings } from "./findings.ts";
import type { ColumnProfile, OutlierFences, Correlation } from "./result-schemas.ts";

/** The comparison of a figure with a second, independent call. */
export type CrossCheck = "confirmed" | "contradicted" | "unchecked";

/** Both figures are rounded to four digits; a sum over groups adds up several rounding errors. */
const TOLERANCE = 0.001;

/** The profile's mean against the groups' sums, where the groups cover all its values. */
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

/** The correlation against the line fitted through the same two columns. */
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

/** Tukey's fences against the quartiles of the profile. */
export function checkOutlierFences({ profile }: TableFindings, fences: OutlierFences): CrossCheck {
  const column = profile?.columns.find(({ name }) => name === fences.column);
  const { q1 = null, q3 = null } = column ?? {};
  if (q1 === null || q3 === null || fences.lower === null || fences.upper === null) {
    return "unchecked";
  }
  // Each fence is a quartile plus or minus 1.5 times the difference of two quartiles.
  const scale = 4 * Math.max(Math.abs(q1), Math.abs(q3));
  const reach = 1.5 * (q3 - q1);
  const lower = compareFigures(q1 - reach, fences.lower, scale);
  return lower === "confirmed" ? compareFigures(q3 + reach, fences.upper, scale) : lower;
}

/** The length of a text, as counted by different capabilities. */
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
