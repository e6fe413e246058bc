import type { TableFindings, TextFindings } from "./findings.ts";
import type { Column, Fences, Pair } from "./shapes.ts";

/** What a second, independent call says of a figure. */
export type Verdict = "confirmed" | "contradicted" | "unchecked";

/** Both figures were rounded to four digits, sums of many groups several times. */
const TOLERANCE = 0.001;

/** The profile's mean against the groups' sums, where the groups cover all its values. */
export function checkMean({ groupings }: TableFindings, column: Column): Verdict {
  const { mean, min, max } = column;
  if (mean === null || typeof min !== "number" || typeof max !== "number") return "unchecked";
  for (const { column: name, groups } of groupings) {
    const count = groups.reduce((total, group) => total + group.count, 0);
    if (name !== column.name || count !== column.count || count === 0) continue;
    const sum = groups.reduce((total, group) => total + (group.sum ?? NaN), 0);
    if (!Number.isFinite(sum)) continue;
    return verdict(sum / count, mean, Math.max(Math.abs(min), Math.abs(max)));
  }
  return "unchecked";
}

/** The correlation against the line fitted through the same two columns. */
export function checkPair({ trends }: TableFindings, { x, y, r, n }: Pair): Verdict {
  const line = trends.find(
    (trend) => (trend.column === y && trend.by === x) || (trend.column === x && trend.by === y),
  );
  if (line === undefined || line.n !== n || line.r2 === null || line.slope === null) {
    return "unchecked";
  }
  return verdict(Math.sign(line.slope) * Math.sqrt(line.r2), r, 1);
}

/** Tukey's fences against the quartiles of the profile. */
export function checkFences({ profile }: TableFindings, fences: Fences): Verdict {
  const column = profile?.columns.find(({ name }) => name === fences.column);
  const { q1 = null, q3 = null } = column ?? {};
  if (q1 === null || q3 === null || fences.lower === null || fences.upper === null) {
    return "unchecked";
  }
  // Either fence takes a quartile and one and a half differences of two.
  const scale = 4 * Math.max(Math.abs(q1), Math.abs(q3));
  const reach = 1.5 * (q3 - q1);
  const lower = verdict(q1 - reach, fences.lower, scale);
  return lower === "confirmed" ? verdict(q3 + reach, fences.upper, scale) : lower;
}

/** The length of a text as one capability counted it against the other's count. */
export function checkLength({ readability, extract, keywords }: TextFindings): Verdict {
  if (readability === null) return "unchecked";
  const words = keywords?.words ?? null;
  const verdicts = [
    ...(words === null ? [] : [verdict(words, readability.words, readability.words)]),
    ...(extract === null
      ? []
      : [verdict(extract.ofSentences, readability.sentences, readability.sentences)]),
  ];
  if (verdicts.includes("contradicted")) return "contradicted";
  return verdicts.length === 0 ? "unchecked" : "confirmed";
}

function verdict(again: number, figure: number, scale: number): Verdict {
  return Math.abs(again - figure) <= TOLERANCE * scale ? "confirmed" : "contradicted";
}
