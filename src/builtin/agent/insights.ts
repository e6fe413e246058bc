import {
  checkCorrelation,
  checkMean,
  checkOutlierFences,
  checkTextLength,
  type CrossCheck,
} from "./cross-checks.ts";
import type { InputFindings, TableFindings, TextFindings } from "./findings.ts";
import { formatCount, formatLabel, formatList } from "../../kernel/text.ts";
import type {
  ColumnProfile,
  Correlation,
  GroupAggregation,
  GroupFigures,
  OutlierFences,
  TableProfile,
  TrendLine,
} from "./result-schemas.ts";
import { classifyColumns, type ColumnRoles, isMentionedInTask } from "./column-roles.ts";

/** A sentence that states figures of tools. `verdict` null: plain counts, which no check is about. */
export interface Insight {
  readonly text: string;
  readonly crossCheck: CrossCheck | null;
  /** Whether it belongs to the few that a hurried reader should see. */
  readonly isMain: boolean;
}

export function createInsight(text: string, verdict: CrossCheck | null, isMain = false): Insight {
  return {
    text: verdict === "contradicted" ? `${text}; a second call gave another figure` : text,
    crossCheck: verdict,
    isMain,
  };
}

/**
 * The sentences that the findings ground, source by source. Every figure in them is a tool's; where
 * there are several sources, each sentence begins with its own.
 */
export function buildInsights({ tables, texts }: InputFindings, task: string): Insight[] {
  const several = tables.length + texts.length > 1;
  const of = (source: string, insights: Insight[]) =>
    several ? insights.map((one) => ({ ...one, text: `${source}: ${one.text}` })) : insights;
  return [
    ...tables.flatMap((table) => of(table.source, buildTableInsights(table, task))),
    ...texts.flatMap((text) => of(text.source, buildTextInsights(text))),
  ];
}

/** The trends over time; the other trends are there to check correlations. */
export function findTimeTrends({ trends }: TableFindings, { order }: ColumnRoles): TrendLine[] {
  return trends.filter(({ by }) => by === order?.name);
}

function buildTableInsights(table: TableFindings, task: string): Insight[] {
  const { profile } = table;
  const roles = classifyColumns(profile ?? { rows: 0, columns: [], unread: 0, notes: [] }, task);
  return [
    ...buildMeanInsights(table, roles),
    ...buildCorrelationInsights(table),
    ...buildGroupInsights(table, task),
    ...buildTrendInsights(findTimeTrends(table, roles)),
    ...buildOutlierInsights(table, roles),
    ...(profile === null ? [] : buildValueInsights(profile)),
  ];
}

const MEAN_INSIGHTS_MAX = 20;
const CORRELATION_INSIGHTS_MAX = 10;
const OUTLIER_INSIGHTS_MAX = 8;
const MAIN_CORRELATIONS_MAX = 3;
const MAIN_OUTLIERS_MAX = 2;
/** Cohen's bounds for a large and a medium correlation. */
const STRONG_CORRELATION_MIN = 0.5;
const MEDIUM_CORRELATION_MIN = 0.3;
/** Below, chance alone makes strong correlations often. */
const CORRELATION_ROWS_MIN = 10;

export function buildMeanInsights(table: TableFindings, { measures }: ColumnRoles): Insight[] {
  return measures.slice(0, MEAN_INSIGHTS_MAX).flatMap((column) => {
    const { name, mean, count, standardDeviation } = column;
    if (mean === null) return [];
    const spread = standardDeviation === null ? "" : `, sd ${standardDeviation}`;
    const text = `Mean of ${formatLabel(name)} is ${mean} (n = ${count}${spread})`;
    return [createInsight(text, checkMean(table, column))];
  });
}

export function buildCorrelationInsights(table: TableFindings): Insight[] {
  return table.pairs
    .slice(0, CORRELATION_INSIGHTS_MAX)
    .map((pair, place) =>
      createInsight(
        formatCorrelation(pair),
        checkCorrelation(table, pair),
        isNotableCorrelation(pair) && place < MAIN_CORRELATIONS_MAX,
      ),
    );
}

/** "A and B move together: r = 0.8712 (n = 342)" */
export function formatCorrelation({ x, y, r, n }: Correlation): string {
  return `${formatLabel(x)} and ${formatLabel(y)} ${describeCorrelation(r)}: r = ${r} (n = ${n})`;
}

/** Whether the correlation is worth telling first: medium at least, and not of a handful of rows. */
export function isNotableCorrelation({ r, n }: Correlation): boolean {
  return Math.abs(r) >= MEDIUM_CORRELATION_MIN && n >= CORRELATION_ROWS_MIN;
}

export function isStrongCorrelation({ r, n }: Correlation): boolean {
  return Math.abs(r) >= STRONG_CORRELATION_MIN && n >= CORRELATION_ROWS_MIN;
}

function describeCorrelation(r: number): string {
  if (Math.abs(r) < MEDIUM_CORRELATION_MIN) return "are hardly related";
  const tends = Math.abs(r) < STRONG_CORRELATION_MIN ? "tend to move" : "move";
  return r > 0 ? `${tends} together` : `${tends} in opposite directions`;
}

export function buildTrendInsights(trends: readonly TrendLine[]): Insight[] {
  return trends.map((trend) => createInsight(formatTrend(trend), "unchecked", true));
}

/** "Sales is rising over Date: 3.2 per day (n = 30, r² = 0.93)" */
export function formatTrend({ column, by, n, slope, r2, direction, perUnit }: TrendLine): string {
  const fit = r2 === null ? "" : `, r² = ${r2}`;
  const unit = perUnit.startsWith("unit of ") ? `unit of ${formatLabel(by)}` : perUnit;
  if (direction === "flat" || slope === null) {
    return `${formatLabel(column)} shows no significant trend over ${formatLabel(by)} (n = ${n}${fit})`;
  }
  return `${formatLabel(column)} is ${direction} over ${formatLabel(by)}: ${slope} per ${unit} (n = ${n}${fit})`;
}

export function buildOutlierInsights(table: TableFindings, { measures }: ColumnRoles): Insight[] {
  return findFencesWithOutliers(table, measures)
    .slice(0, OUTLIER_INSIGHTS_MAX)
    .map((fences, place) => {
      const { column, count, lower, upper, outliers } = fences;
      const [farthest] = outliers;
      const most =
        farthest === undefined ? "" : `, the farthest is ${farthest.value} in row ${farthest.row}`;
      const text = `${formatLabel(column)} has ${formatCount(count, "outlier")} outside ${lower} to ${upper}${most}`;
      return createInsight(text, checkOutlierFences(table, fences), place < MAIN_OUTLIERS_MAX);
    });
}

export function findFencesWithOutliers(
  { profile, fences }: TableFindings,
  measures: readonly ColumnProfile[],
): OutlierFences[] {
  const isMeasure = (name: string) => measures.some((measure) => measure.name === name);
  return fences.filter(
    ({ column, count, lower, upper }) =>
      count > 0 && lower !== null && upper !== null && (profile === null || isMeasure(column)),
  );
}

/** Groups compared by a measure, with the two that lie farthest apart. */
export interface GroupContrast {
  readonly grouping: GroupAggregation;
  readonly high: GroupFigures;
  readonly low: GroupFigures;
  /** The distance of the two means in standard deviations of the measure; ranks contrasts. */
  readonly distance: number;
}

/** Means of fewer rows say little. */
const GROUP_ROWS_MIN = 3;
const MAIN_CONTRASTS_MAX = 2;
const SMALL_EFFECT_MIN = 0.2;

/** The groupings that tell groups apart: those by measures that the task names, then the farthest apart. */
export function rankGroupContrasts(
  { groupings, profile }: TableFindings,
  task: string,
): GroupContrast[] {
  const rank = ({ grouping }: GroupContrast) => (isMentionedInTask(grouping.column, task) ? 0 : 1);
  return groupings
    .flatMap((grouping) => {
      const column = profile?.columns.find(({ name }) => name === grouping.column);
      const contrast = column === undefined ? null : findGroupContrast(grouping, column);
      return contrast === null ? [] : [contrast];
    })
    .toSorted((a, b) => rank(a) - rank(b) || b.distance - a.distance);
}

/** Whether the groups lie far enough apart to be told first: Cohen's bound for a small effect. */
export function isNotableContrast({ distance }: GroupContrast): boolean {
  return distance >= SMALL_EFFECT_MIN;
}

export function buildGroupInsights(table: TableFindings, task: string): Insight[] {
  return rankGroupContrasts(table, task).map((contrast, place) => {
    const { column } = contrast.grouping;
    const isMain = isNotableContrast(contrast) && place < MAIN_CONTRASTS_MAX;
    const profiled = table.profile?.columns.find(({ name }) => name === column);
    const verdict = profiled === undefined ? "unchecked" : checkMean(table, profiled);
    return createInsight(formatContrast(contrast), verdict, isMain);
  });
}

/** "Mean of Body Mass (g) by Species is highest for Gentoo: 5076 (n = 123), lowest for …" */
export function formatContrast({ grouping, high, low }: GroupContrast): string {
  const mean = `Mean of ${formatLabel(grouping.column)} by ${formatLabel(grouping.groupBy)}`;
  const highest = `is highest for ${formatLabel(high.group)}: ${high.mean} (n = ${high.count})`;
  return `${mean} ${highest}, lowest for ${formatLabel(low.group)}: ${low.mean} (n = ${low.count})`;
}

function findGroupContrast(
  grouping: GroupAggregation,
  { standardDeviation }: ColumnProfile,
): GroupContrast | null {
  const groups = grouping.groups
    .filter(({ count, mean }) => count >= GROUP_ROWS_MIN && mean !== null)
    .toSorted((a, b) => meanOrZero(b) - meanOrZero(a));
  const [high] = groups;
  const low = groups.at(-1);
  if (high === undefined || low === undefined || meanOrZero(high) === meanOrZero(low)) return null;
  const distance = (meanOrZero(high) - meanOrZero(low)) / (standardDeviation || Infinity);
  return { grouping, high, low, distance };
}

function meanOrZero({ mean }: GroupFigures): number {
  return mean ?? 0;
}

const MISSING_INSIGHTS_MAX = 8;
const MOST_COMMON_INSIGHTS_MAX = 5;
const NO_LETTER_OR_DIGIT = /^[^\p{L}\p{N}]+$/u;

/** What is missing, what is commonest, and what looks like a mark for a missing value. */
export function buildValueInsights(profile: TableProfile): Insight[] {
  const gaps = profile.columns
    .filter(hasMissingValues)
    .toSorted((a, b) => b.missing - a.missing)
    .slice(0, MISSING_INSIGHTS_MAX)
    .map((column, place) => createInsight(formatMissing(column, profile), null, place === 0));
  const commonest = profile.columns
    .filter(hasMostCommonValue)
    .slice(0, MOST_COMMON_INSIGHTS_MAX)
    .map(formatMostCommonValue);
  const placeholders = profile.columns.flatMap(findPlaceholders).map(formatPlaceholder);
  return [...gaps, ...[...commonest, ...placeholders].map((text) => createInsight(text, null))];
}

export function hasMissingValues({ missing, type }: ColumnProfile): boolean {
  return missing > 0 && type !== "empty";
}

/** A value without a letter or digit, such as ".". */
export interface PlaceholderValue {
  readonly column: string;
  readonly value: string;
  readonly count: number;
}

export function findPlaceholders({ name, top }: ColumnProfile): PlaceholderValue[] {
  return top.flatMap(({ value, count }) =>
    typeof value === "string" && NO_LETTER_OR_DIGIT.test(value)
      ? [{ column: name, value, count }]
      : [],
  );
}

function formatMissing({ name, missing }: ColumnProfile, { rows }: TableProfile): string {
  return `${formatLabel(name)} is missing in ${missing} of ${formatCount(rows, "row")}`;
}

/** With every value different there is no commonest one. */
function hasMostCommonValue({ top, distinct, count }: ColumnProfile): boolean {
  return top.length > 0 && distinct < count;
}

function formatMostCommonValue({ name, top, distinct, count }: ColumnProfile): string {
  const [first] = top;
  if (first === undefined) return "";
  if (distinct === 1)
    return `${formatLabel(name)} is ${formatLabel(first.value)} in all ${formatCount(count, "row")}`;
  const most = `${formatLabel(first.value)}, in ${first.count} of ${formatCount(count, "row")}`;
  return `The commonest of ${distinct} values of ${formatLabel(name)} is ${most}`;
}

function formatPlaceholder({ column, value, count }: PlaceholderValue): string {
  const times = count === 1 ? "once" : `${count} times`;
  return `${formatLabel(column)} holds "${formatLabel(value)}" ${times}, which may stand for a missing value`;
}

const KEYWORD_TERMS_MAX = 5;

export function buildTextInsights(text: TextFindings): Insight[] {
  const { readability, keywords, extract } = text;
  const insights: Insight[] = [];
  if (readability !== null) {
    const { words, sentences, fleschReadingEase, level, readingTime } = readability;
    const time = readingTime === null ? "" : `, a reading time of ${readingTime}`;
    const length = `The text has ${formatCount(words, "word")} in ${formatCount(sentences, "sentence")}${time}`;
    insights.push(createInsight(length, checkTextLength(text), true));
    if (fleschReadingEase !== null) {
      const ease = `Flesch reading ease of the text is ${fleschReadingEase} (${level})`;
      insights.push(createInsight(ease, "unchecked", true));
    }
  }
  if (keywords !== null && keywords.keywords.length > 0) {
    const terms = keywords.keywords
      .slice(0, KEYWORD_TERMS_MAX)
      .map(({ term, count }) => `${term} (${count})`);
    const keywordList = `Keywords of the text, with counts, are ${formatList(terms)}`;
    insights.push(createInsight(keywordList, "unchecked", true));
  }
  for (const { position, text: sentence } of extract?.sentences ?? []) {
    insights.push(createInsight(`Central sentence ${position}: "${sentence}"`, null));
  }
  return insights;
}
