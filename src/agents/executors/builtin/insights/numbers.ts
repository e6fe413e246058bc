import { checkFences, checkMean, checkPair } from "../checks.ts";
import type { TableFindings } from "../findings.ts";
import type { Roles } from "../roles.ts";
import type { Column, Fences, Pair, Trend } from "../shapes.ts";
import { counted, label } from "../wording.ts";
import { insight, type Insight } from "./insight.ts";

const MEANS_MAX = 20;
const PAIRS_MAX = 10;
const FENCES_MAX = 8;
const MAIN_PAIRS = 3;
const MAIN_FENCES = 2;
/** Cohen's bounds for a large and a medium correlation. */
const STRONG = 0.5;
const MEDIUM = 0.3;
/** Below, chance alone makes strong correlations often. */
const PAIR_ROWS_MIN = 10;

export function meanInsights(table: TableFindings, { measures }: Roles): Insight[] {
  return measures.slice(0, MEANS_MAX).flatMap((column) => {
    const { name, mean, count, standardDeviation } = column;
    if (mean === null) return [];
    const spread = standardDeviation === null ? "" : `, sd ${standardDeviation}`;
    const text = `Mean of ${label(name)} is ${mean} (n = ${count}${spread})`;
    return [insight(text, checkMean(table, column))];
  });
}

export function pairInsights(table: TableFindings): Insight[] {
  return table.pairs
    .slice(0, PAIRS_MAX)
    .map((pair, place) =>
      insight(pairText(pair), checkPair(table, pair), isTelling(pair) && place < MAIN_PAIRS),
    );
}

/** "A and B move together: r = 0.8712 (n = 342)" */
export function pairText({ x, y, r, n }: Pair): string {
  return `${label(x)} and ${label(y)} ${pairVerb(r)}: r = ${r} (n = ${n})`;
}

/** Whether the correlation is worth telling first: medium at least, and not of a handful of rows. */
export function isTelling({ r, n }: Pair): boolean {
  return Math.abs(r) >= MEDIUM && n >= PAIR_ROWS_MIN;
}

export function isStrong({ r, n }: Pair): boolean {
  return Math.abs(r) >= STRONG && n >= PAIR_ROWS_MIN;
}

function pairVerb(r: number): string {
  if (Math.abs(r) < MEDIUM) return "are hardly related";
  const tends = Math.abs(r) < STRONG ? "tend to move" : "move";
  return r > 0 ? `${tends} together` : `${tends} in opposite directions`;
}

export function trendInsights(trends: readonly Trend[]): Insight[] {
  return trends.map((trend) => insight(trendText(trend), "unchecked", true));
}

/** "Sales is rising over Date: 3.2 per day (n = 30, r² = 0.93)" */
export function trendText({ column, by, n, slope, r2, direction, perUnit }: Trend): string {
  const fit = r2 === null ? "" : `, r² = ${r2}`;
  const unit = perUnit.startsWith("unit of ") ? `unit of ${label(by)}` : perUnit;
  if (direction === "flat" || slope === null) {
    return `${label(column)} shows no significant trend over ${label(by)} (n = ${n}${fit})`;
  }
  return `${label(column)} is ${direction} over ${label(by)}: ${slope} per ${unit} (n = ${n}${fit})`;
}

export function fenceInsights(table: TableFindings, { measures }: Roles): Insight[] {
  return fencesWithOutliers(table, measures)
    .slice(0, FENCES_MAX)
    .map((fences, place) => {
      const { column, count, lower, upper, outliers } = fences;
      const [farthest] = outliers;
      const most =
        farthest === undefined ? "" : `, the farthest is ${farthest.value} in row ${farthest.row}`;
      const text = `${label(column)} has ${counted(count, "outlier")} outside ${lower} to ${upper}${most}`;
      return insight(text, checkFences(table, fences), place < MAIN_FENCES);
    });
}

export function fencesWithOutliers(
  { profile, fences }: TableFindings,
  measures: readonly Column[],
): Fences[] {
  const isMeasure = (name: string) => measures.some((measure) => measure.name === name);
  return fences.filter(
    ({ column, count, lower, upper }) =>
      count > 0 && lower !== null && upper !== null && (profile === null || isMeasure(column)),
  );
}
