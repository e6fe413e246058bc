import type { Findings, TableFindings, TextFindings } from "./findings.ts";
import { trendsOverTime } from "./insights/all.ts";
import { contrastsOf, type Contrast } from "./insights/groups.ts";
import { fencesWithOutliers, isStrong } from "./insights/numbers.ts";
import { isGappy, placeholdersOf } from "./insights/values.ts";
import { rolesOf } from "./roles.ts";
import type { Column, Profile } from "./shapes.ts";
import { inTurns } from "./turns.ts";
import { counted, label } from "./wording.ts";

const RECOMMENDATIONS_MAX = 8;
const OF_EACH_MAX = 2;
/** Half a standard deviation between two groups' means is a medium effect (Cohen's d). */
const DISTANCE_MIN = 0.5;
/** Mean and median this many standard deviations apart tell of a skew. */
const SKEW_MIN = 0.25;
const ROWS_FEW = 30;
/** Below, Flesch called a text difficult. */
const EASE_DIFFICULT = 50;
const WORDS_SAMPLE_MIN = 100;

/** What to do about the findings; each names the figures it follows from. */
export function recommendationsOf({ tables, texts }: Findings, task: string): string[] {
  const bySource = [
    ...tables.map((table) => tableRecommendations(table, task)),
    ...texts.map(textRecommendations),
  ];
  return inTurns(bySource).slice(0, RECOMMENDATIONS_MAX);
}

function tableRecommendations(table: TableFindings, task: string): string[] {
  const { profile } = table;
  if (profile === null || profile.rows === 0) return [];
  const roles = rolesOf(profile, task);
  const contrasts = contrastsOf(table, task).filter(({ distance }) => distance >= DISTANCE_MIN);
  const trends = trendsOverTime(table, roles).filter(({ direction }) => direction !== "flat");
  return [
    ...table.pairs
      .filter(isStrong)
      .slice(0, 1)
      .map((pair) => {
        const group = contrasts[0]?.grouping.groupBy;
        const caution =
          group === undefined ? "" : `, but check first that it holds within each ${label(group)}`;
        return `Use ${label(pair.x)} to estimate ${label(pair.y)}, or the reverse (r = ${pair.r})${caution}.`;
      }),
    ...contrasts.slice(0, OF_EACH_MAX).map(contrastAdvice),
    ...trends.map(
      ({ column, by, direction, slope, perUnit }) =>
        `Plan with ${label(column)} ${direction} over ${label(by)} (${slope} per ${label(perUnit)}), as long as nothing else changes.`,
    ),
    ...fencesWithOutliers(table, roles.measures)
      .slice(0, OF_EACH_MAX)
      .map(({ column, count, outliers }) => {
        const [first] = outliers;
        const place = first === undefined ? "" : `, first row ${first.row} with ${first.value},`;
        return `Check the ${counted(count, "outlier")} of ${label(column)}${place} before you rely on its mean.`;
      }),
    ...roles.measures
      .filter(isSkewed)
      .slice(0, OF_EACH_MAX)
      .map(
        ({ name, mean, median }) =>
          `Give the median of ${label(name)} (${median}) beside its mean (${mean}): the two lie far apart.`,
      ),
    ...gapAdvice(profile),
    ...profile.columns
      .flatMap(placeholdersOf)
      .slice(0, OF_EACH_MAX)
      .map(
        ({ column, value, count }) =>
          `Find out what "${label(value)}" (${counted(count, "time")}) means in ${label(column)}; if it stands for a missing value, leave it empty.`,
      ),
    ...profile.columns
      .filter(isConstant)
      .slice(0, OF_EACH_MAX)
      .map(
        ({ name, count }) =>
          `Leave ${label(name)} out of comparisons: it is the same in all ${counted(count, "row")}.`,
      ),
    ...(profile.rows < ROWS_FEW
      ? [
          `Collect more rows before you act on these figures: ${counted(profile.rows, "row")} can mislead.`,
        ]
      : []),
  ];
}

function contrastAdvice({ grouping, high, low }: Contrast): string {
  const means = `the mean is ${high.mean} for ${label(high.group)} and ${low.mean} for ${label(low.group)}`;
  return `Look at ${label(grouping.column)} by ${label(grouping.groupBy)} rather than overall: ${means}.`;
}

function gapAdvice({ columns, rows }: Profile): string[] {
  const gappy = columns.filter(isGappy).toSorted((a, b) => b.missing - a.missing);
  const [most] = gappy;
  if (most === undefined) return [];
  const others = gappy.length === 1 ? "" : ` and ${counted(gappy.length - 1, "other column")}`;
  return [
    `Fill in or explain what is missing in ${label(most.name)} (${most.missing} of ${counted(rows, "row")})${others}.`,
  ];
}

function isSkewed({ mean, median, standardDeviation }: Column): boolean {
  if (mean === null || median === null || !standardDeviation) return false;
  return Math.abs(mean - median) / standardDeviation >= SKEW_MIN;
}

function isConstant({ distinct, count }: Column): boolean {
  return distinct === 1 && count > 1;
}

function textRecommendations({ readability }: TextFindings): string[] {
  const { fleschReadingEase: ease = null, words = 0, level } = readability ?? {};
  if (ease === null || ease >= EASE_DIFFICULT || words < WORDS_SAMPLE_MIN) return [];
  return [
    `Shorten sentences and words if the text is meant for everybody: its Flesch reading ease is ${ease} (${level}).`,
  ];
}
