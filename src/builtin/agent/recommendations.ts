import { interleave, type TextFindings } from "./findings.ts";
import {
  findFencesWithOutliers,
  findPlaceholders,
  type GroupContrast,
  hasMissingValues,
  type InputAnalysis,
  isStrongCorrelation,
  type TableAnalysis,
} from "./insights.ts";
import type { ColumnProfile, TableProfile } from "./result-schemas.ts";
import { formatCount, formatLabel } from "../../kernel/text.ts";

const RECOMMENDATIONS_MAX = 8;
const RECOMMENDATIONS_PER_KIND_MAX = 2;
/** Half a standard deviation between two groups' means is a medium effect (Cohen's d). */
const MEDIUM_EFFECT_MIN = 0.5;
/** A distribution is skewed if mean and median are this many standard deviations apart. */
const SKEW_MIN = 0.25;
const ROWS_SAMPLE_MIN = 30;
/** Below, Flesch called a text difficult. */
const DIFFICULT_READING_EASE_MAX = 50;
const WORDS_SAMPLE_MIN = 100;

/** Recommendations from the findings; each names its figures. */
export function buildRecommendations({ tables, texts }: InputAnalysis): string[] {
  const bySource = [...tables.map(recommendForTable), ...texts.map(recommendForText)];
  return interleave(bySource).slice(0, RECOMMENDATIONS_MAX);
}

function recommendForTable(table: TableAnalysis): string[] {
  const { profile, pairs } = table.findings;
  const { roles } = table;
  if (roles === null || profile === null || profile.rows === 0) return [];
  const contrasts = table.contrasts.filter(({ distance }) => distance >= MEDIUM_EFFECT_MIN);
  const trends = table.timeTrends.filter(({ direction }) => direction !== "flat");
  return [
    ...pairs
      .filter(isStrongCorrelation)
      .slice(0, 1)
      .map((pair) => {
        const group = contrasts[0]?.grouping.groupBy;
        const caution =
          group === undefined
            ? ""
            : `, but check first that it holds within each ${formatLabel(group)}`;
        return `Use ${formatLabel(pair.x)} to estimate ${formatLabel(pair.y)}, or the reverse (r = ${pair.r})${caution}.`;
      }),
    ...contrasts.slice(0, RECOMMENDATIONS_PER_KIND_MAX).map(recommendForContrast),
    ...trends.map(
      ({ column, by, direction, slope, perUnit }) =>
        `Plan with ${formatLabel(column)} ${direction} over ${formatLabel(by)} (${slope} per ${formatLabel(perUnit)}), as long as nothing else changes.`,
    ),
    ...findFencesWithOutliers(table)
      .slice(0, RECOMMENDATIONS_PER_KIND_MAX)
      .map(({ column, count, outliers }) => {
        const [first] = outliers;
        const place = first === undefined ? "" : `, first row ${first.row} with ${first.value},`;
        return `Check the ${formatCount(count, "outlier")} of ${formatLabel(column)}${place} before you rely on its mean.`;
      }),
    ...roles.measures
      .filter(isSkewed)
      .slice(0, RECOMMENDATIONS_PER_KIND_MAX)
      .map(
        ({ name, mean, median }) =>
          `Give the median of ${formatLabel(name)} (${median}) beside its mean (${mean}): the two lie far apart.`,
      ),
    ...recommendForMissingValues(profile),
    ...profile.columns
      .flatMap(findPlaceholders)
      .slice(0, RECOMMENDATIONS_PER_KIND_MAX)
      .map(
        ({ column, value, count }) =>
          `Find out what "${formatLabel(value)}" (${formatCount(count, "time")}) means in ${formatLabel(column)}; if it stands for a missing value, leave it empty.`,
      ),
    ...profile.columns
      .filter(isConstant)
      .slice(0, RECOMMENDATIONS_PER_KIND_MAX)
      .map(
        ({ name, count }) =>
          `Leave ${formatLabel(name)} out of comparisons: it is the same in all ${formatCount(count, "row")}.`,
      ),
    ...(profile.rows < ROWS_SAMPLE_MIN
      ? [
          `Collect more rows before you act on these figures: ${formatCount(profile.rows, "row")} can mislead.`,
        ]
      : []),
  ];
}

function recommendForContrast({ grouping, high, low }: GroupContrast): string {
  const means = `the mean is ${high.mean} for ${formatLabel(high.group)} and ${low.mean} for ${formatLabel(low.group)}`;
  return `Look at ${formatLabel(grouping.column)} by ${formatLabel(grouping.groupBy)} rather than overall: ${means}.`;
}

function recommendForMissingValues({ columns, rows }: TableProfile): string[] {
  const gappy = columns.filter(hasMissingValues).toSorted((a, b) => b.missing - a.missing);
  const [most] = gappy;
  if (most === undefined) return [];
  const others = gappy.length === 1 ? "" : ` and ${formatCount(gappy.length - 1, "other column")}`;
  return [
    `Fill in or explain what is missing in ${formatLabel(most.name)} (${most.missing} of ${formatCount(rows, "row")})${others}.`,
  ];
}

function isSkewed({ mean, median, standardDeviation }: ColumnProfile): boolean {
  if (mean === null || median === null || !standardDeviation) return false;
  return Math.abs(mean - median) / standardDeviation >= SKEW_MIN;
}

function isConstant({ distinct, count }: ColumnProfile): boolean {
  return distinct === 1 && count > 1;
}

function recommendForText({ readability }: TextFindings): string[] {
  const { fleschReadingEase: ease = null, words = 0, level } = readability ?? {};
  if (ease === null || ease >= DIFFICULT_READING_EASE_MAX || words < WORDS_SAMPLE_MIN) return [];
  return [
    `Shorten sentences and words if the text is meant for everybody: its Flesch reading ease is ${ease} (${level}).`,
  ];
}
