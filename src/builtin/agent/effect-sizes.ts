import { formatFigure } from "./figures.ts";
import type {
  ColumnProfile,
  Correlation,
  GroupAggregation,
  GroupFigures,
  OutlierFences,
  TrendLine,
} from "./result-schemas.ts";
import { computeCorrelationPValue, computeTPValue, SIGNIFICANCE_LEVEL } from "../significance.ts";

/*
 * Thresholds for words that rate effect sizes, such as "strong". A sentence with such a word also states the figure.
 * Cohen: Statistical Power Analysis for the Behavioral Sciences (1988). Tukey: Exploratory Data Analysis (1977).
 */

/** The minimum |r| for a weak, moderate and strong correlation, which Cohen calls small, medium and large. */
const WEAK_CORRELATION_MIN = 0.1;
const MODERATE_CORRELATION_MIN = 0.3;
const STRONG_CORRELATION_MIN = 0.5;
/** With fewer rows, a single row can determine r. */
const CORRELATION_ROWS_MIN = 10;

/** For example, "a strong positive correlation", or "no significant correlation" if it could be due to chance. */
export function describeCorrelation({ r, n }: Correlation): string {
  if (!isSignificant(computeCorrelationPValue(r, n))) return "no significant correlation";
  return `a ${nameCorrelationStrength(r)} ${r > 0 ? "positive" : "negative"} correlation`;
}

function nameCorrelationStrength(r: number): string {
  const size = Math.abs(r);
  if (size >= STRONG_CORRELATION_MIN) return "strong";
  if (size >= MODERATE_CORRELATION_MIN) return "moderate";
  return size >= WEAK_CORRELATION_MIN ? "weak" : "negligible";
}

/** Whether a correlation is a main finding: it is significant, at least moderate and based on enough rows. */
export function isNotableCorrelation({ r, n }: Correlation): boolean {
  const isLargeEnough = Math.abs(r) >= MODERATE_CORRELATION_MIN && n >= CORRELATION_ROWS_MIN;
  return isLargeEnough && isSignificant(computeCorrelationPValue(r, n));
}

/** Even a line that explains half the variance leaves an error of 71% of the standard deviation. */
const PREDICTIVE_R2_MIN = 0.5;

/** Whether one column can be used to estimate the other. */
export function isPredictiveCorrelation(pair: Correlation): boolean {
  return isNotableCorrelation(pair) && pair.r ** 2 >= PREDICTIVE_R2_MIN;
}

/** Whether a trend is a main finding: its direction is significant, and its r is at least moderate. */
export function isNotableTrend({ direction, r2 }: TrendLine): boolean {
  return direction !== "flat" && Math.sqrt(r2 ?? 0) >= MODERATE_CORRELATION_MIN;
}

/** Whether a trend can be extrapolated. */
export function isPredictiveTrend(trend: TrendLine): boolean {
  return isNotableTrend(trend) && (trend.r2 ?? 0) >= PREDICTIVE_R2_MIN;
}

/** The groups with the highest and the lowest mean of a measure. */
export interface GroupContrast {
  readonly grouping: GroupAggregation;
  readonly column: ColumnProfile;
  readonly high: GroupFigures;
  readonly low: GroupFigures;
  /** Cohen's d: the difference between the two means in within-group standard deviations, to two decimal places. */
  readonly distance: number;
  readonly isSignificant: boolean;
}

/** The mean of fewer rows is not meaningful. */
const GROUP_ROWS_MIN = 3;
/** In units of a mean's last significant digit. A smaller difference between two means is mostly rounding error. */
const ROUNDING_STEPS_MIN = 10;
const MEAN_DIGITS = 4;

export function findGroupContrast(
  grouping: GroupAggregation,
  column: ColumnProfile,
): GroupContrast | null {
  const groups = grouping.groups
    .flatMap(({ mean, ...group }) =>
      group.count >= GROUP_ROWS_MIN && mean !== null ? [{ mean, ...group }] : [],
    )
    .toSorted((a, b) => b.mean - a.mean);
  const [high] = groups;
  const low = groups.at(-1);
  if (high === undefined || low === undefined || !column.standardDeviation) return null;
  const difference = high.mean - low.mean;
  const size = Math.max(Math.abs(high.mean), Math.abs(low.mean));
  const step = 10 ** (Math.floor(Math.log10(size)) + 1 - MEAN_DIGITS);
  if (!(difference >= ROUNDING_STEPS_MIN * step)) return null;
  const pooled = computePooledDeviation(grouping, column);
  // Without variation within groups, Cohen's d would be infinite.
  const deviation = pooled === null || pooled === 0 ? column.standardDeviation : pooled;
  const t = difference / (deviation * Math.sqrt(1 / high.count + 1 / low.count));
  const freedom = column.count - grouping.groups.length;
  // Bonferroni correction, because the extremes are chosen from all pairs of groups.
  const pairs = (groups.length * (groups.length - 1)) / 2;
  return {
    grouping,
    column,
    high,
    low,
    distance: roundDeviations(difference / deviation),
    isSignificant: isSignificant(pairs * computeTPValue(t, freedom)),
  };
}

/** The pooled standard deviation within groups; null if the groups do not cover all values of the column. */
function computePooledDeviation(
  { groups }: GroupAggregation,
  { count, mean, standardDeviation }: ColumnProfile,
): number | null {
  const covered = groups.reduce((sum, group) => sum + group.count, 0);
  const freedom = count - groups.length;
  if (covered !== count || freedom < 1 || mean === null || standardDeviation === null) return null;
  const between = groups.reduce(
    (sum, group) => sum + group.count * ((group.mean ?? mean) - mean) ** 2,
    0,
  );
  const total = (count - 1) * standardDeviation ** 2;
  return Math.sqrt(Math.max(0, total - between) / freedom);
}

/** The minimum Cohen's d for a small, medium and large difference. */
const SMALL_DIFFERENCE_MIN = 0.2;
const MEDIUM_DIFFERENCE_MIN = 0.5;
const LARGE_DIFFERENCE_MIN = 0.8;

/**
 * For example, "a large difference of 1.71 standard deviations", or "no significant difference (…)" if it could be due
 * to chance.
 */
export function describeContrast({ distance, isSignificant: isReal }: GroupContrast): string {
  if (!isReal) return `no significant difference (${formatDeviations(distance)})`;
  return `a ${nameDifferenceSize(distance)} difference of ${formatDeviations(distance)}`;
}

function nameDifferenceSize(distance: number): string {
  if (distance >= LARGE_DIFFERENCE_MIN) return "large";
  if (distance >= MEDIUM_DIFFERENCE_MIN) return "medium";
  return distance >= SMALL_DIFFERENCE_MIN ? "small" : "negligible";
}

/** Whether a contrast is a main finding. */
export function isNotableContrast({ distance, isSignificant: isReal }: GroupContrast): boolean {
  return isReal && distance >= SMALL_DIFFERENCE_MIN;
}

/** Whether the groups differ enough to be reported separately. */
export function isMediumContrast({ distance, isSignificant: isReal }: GroupContrast): boolean {
  return isReal && distance >= MEDIUM_DIFFERENCE_MIN;
}

/**
 * Why a column's mean is not representative; null if it is. A mean is not representative if it lies outside the middle
 * half of the values, or if its difference from the median is at least medium (Cohen).
 */
export function describeSkew(column: ColumnProfile): string | null {
  const { mean, median, standardDeviation, q1, q3 } = column;
  if (mean === null || median === null || !standardDeviation) return null;
  if (q3 !== null && mean > q3) return `the mean is above the third quartile, ${formatFigure(q3)}`;
  if (q1 !== null && mean < q1) return `the mean is below the first quartile, ${formatFigure(q1)}`;
  const distance = roundDeviations(Math.abs(mean - median) / standardDeviation);
  return distance >= MEDIUM_DIFFERENCE_MIN
    ? `the two differ by ${formatDeviations(distance)}`
    : null;
}

/** Quartiles remain meaningful as long as at most a quarter of the values are outliers (their breakdown point). */
const OUTLIER_SHARE_MAX = 0.25;

/**
 * Whether so few values lie beyond Tukey's fences that they count as outliers. `present` is the total number of values,
 * or null if it is unknown.
 */
export function areExceptional(
  { count, lower, upper }: OutlierFences,
  present: number | null,
): boolean {
  // If the quartiles are equal, any different value lies beyond the fences.
  if (count === 0 || lower === null || upper === null || lower === upper) return false;
  return present === null || count <= OUTLIER_SHARE_MAX * present;
}

/** Notes that explain the rating words to a report's readers. */
export const CORRELATION_WORDS_NOTE = `A correlation is weak if |r| is at least ${WEAK_CORRELATION_MIN}, moderate if at least ${MODERATE_CORRELATION_MIN}, and strong if at least ${STRONG_CORRELATION_MIN} (Cohen, 1988).`;
export const DIFFERENCE_WORDS_NOTE = `A difference between means is small if it is at least ${SMALL_DIFFERENCE_MIN} within-group standard deviations, medium if at least ${MEDIUM_DIFFERENCE_MIN}, and large if at least ${LARGE_DIFFERENCE_MIN} (Cohen, 1988).`;
export const SIGNIFICANCE_NOTE = `"Significant" means p < ${SIGNIFICANCE_LEVEL} in a t test.`;

function isSignificant(pValue: number): boolean {
  return pValue < SIGNIFICANCE_LEVEL;
}

/** Rounds a distance before it is rated, so the rating word never contradicts the stated figure. */
function roundDeviations(distance: number): number {
  return Number(distance.toFixed(2));
}

function formatDeviations(distance: number): string {
  return `${formatFigure(distance)} standard deviation${distance === 1 ? "" : "s"}`;
}
