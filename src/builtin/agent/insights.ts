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

/** A sentence with figures of tools. `crossCheck` null: counts, which are not checked. */
export interface Insight {
  readonly text: string;
  readonly crossCheck: CrossCheck | null;
  readonly isMain: boolean;
}

export function createInsight(
  text: string,
  crossCheck: CrossCheck | null,
  isMain = false,
): Insight {
  return {
    text: crossCheck === "contradicted" ? `${text}; a second call gave another figure` : text,
    crossCheck,
    isMain,
  };
}

/** The results for one table, with the values that insights, charts, summary and recommendations share. */
export interface TableAnalysis extends TableFindings {
  /** Null without a profile. */
  readonly roles: ColumnRoles | null;
  readonly contrasts: readonly GroupContrast[];
  /** The trends over time; the other trends only check correlations. */
  readonly timeTrends: readonly TrendLine[];
}

export interface InputAnalysis {
  readonly tables: readonly TableAnalysis[];
  readonly texts: readonly TextFindings[];
}

/** Analyses the findings once; columns that the task names come first. */
export function analyzeFindings({ tables, texts }: InputFindings, task: string): InputAnalysis {
  return {
    texts,
    tables: tables.map((findings) => {
      const roles = findings.profile === null ? null : classifyColumns(findings.profile, task);
      const order = roles?.order?.name;
      const timeTrends = findings.trends.filter(({ by }) => by === order);
      return { ...findings, roles, timeTrends, contrasts: rankGroupContrasts(findings, task) };
    }),
  };
}

/** The supported sentences by source, with figures from tools only. With several sources each sentence names its own. */
export function buildInsights({ tables, texts }: InputAnalysis): Insight[] {
  const hasSeveralSources = tables.length + texts.length > 1;
  const prefix = (source: string, insights: Insight[]) =>
    hasSeveralSources
      ? insights.map((one) => ({ ...one, text: `${source}: ${one.text}` }))
      : insights;
  return [
    ...tables.flatMap((table) => prefix(table.source, buildTableInsights(table))),
    ...texts.flatMap((text) => prefix(text.source, buildTextInsights(text))),
  ];
}

function buildTableInsights(table: TableAnalysis): Insight[] {
  return [
    ...buildMeanInsights(table),
    ...buildCorrelationInsights(table),
    ...buildGroupInsights(table),
    ...table.timeTrends.map((trend) => createInsight(formatTrend(trend), "unchecked", true)),
    ...buildOutlierInsights(table),
    ...(table.profile === null ? [] : buildValueInsights(table.profile)),
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
/** With fewer rows, strong correlations are often due to chance. */
const CORRELATION_ROWS_MIN = 10;

function buildMeanInsights(table: TableAnalysis): Insight[] {
  return (table.roles?.measures ?? []).slice(0, MEAN_INSIGHTS_MAX).flatMap((column) => {
    const { name, mean, count, standardDeviation } = column;
    if (mean === null) return [];
    const spread = standardDeviation === null ? "" : `, sd ${standardDeviation}`;
    const text = `Mean of ${formatLabel(name)} is ${mean} (n = ${count}${spread})`;
    return [createInsight(text, checkMean(table, column))];
  });
}

function buildCorrelationInsights(table: TableFindings): Insight[] {
  return table.pairs.slice(0, CORRELATION_INSIGHTS_MAX).map((pair, place) => {
    const { x, y, r, n } = pair;
    const text = `${formatLabel(x)} and ${formatLabel(y)} ${describeCorrelation(r)}: r = ${r} (n = ${n})`;
    const isMain = isNotableCorrelation(pair) && place < MAIN_CORRELATIONS_MAX;
    return createInsight(text, checkCorrelation(table, pair), isMain);
  });
}

/** Whether a correlation is a main finding: at least medium, with enough rows. */
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

/** "Sales is rising over Date: 3.2 per day (n = 30, r² = 0.93)" */
function formatTrend({ column, by, n, slope, r2, direction, perUnit }: TrendLine): string {
  const fit = r2 === null ? "" : `, r² = ${r2}`;
  const unit = perUnit.startsWith("unit of ") ? `unit of ${formatLabel(by)}` : perUnit;
  if (direction === "flat" || slope === null) {
    return `${formatLabel(column)} shows no significant trend over ${formatLabel(by)} (n = ${n}${fit})`;
  }
  return `${formatLabel(column)} is ${direction} over ${formatLabel(by)}: ${slope} per ${unit} (n = ${n}${fit})`;
}

function buildOutlierInsights(table: TableAnalysis): Insight[] {
  return findFencesWithOutliers(table)
    .slice(0, OUTLIER_INSIGHTS_MAX)
    .map((fences, place) => {
      const { column, count, lower, upper, outliers } = fences;
      const [farthest] = outliers;
      const most =
        farthest === undefined ? "" : `, the farthest is ${farthest.value} in row ${farthest.row}`;
      const text = `${formatLabel(column)} has ${formatCount(count, "outlier")} outside ${lower} to ${upper}${most}`;
      const crossCheck = checkOutlierFences(table, fences);
      return createInsight(text, crossCheck, place < MAIN_OUTLIERS_MAX);
    });
}

/** The fences with outliers, of measures only if the columns are known. */
export function findFencesWithOutliers({ fences, roles }: TableAnalysis): OutlierFences[] {
  const isMeasure = (name: string) => roles?.measures.some((one) => one.name === name) ?? true;
  return fences.filter(
    ({ column, count, lower, upper }) =>
      count > 0 && lower !== null && upper !== null && isMeasure(column),
  );
}

/** The groups with the highest and the lowest mean of a measure. */
export interface GroupContrast {
  readonly grouping: GroupAggregation;
  readonly column: ColumnProfile;
  readonly high: GroupFigures;
  readonly low: GroupFigures;
  /** The distance of the two means in standard deviations of the measure. */
  readonly distance: number;
}

/** Means of fewer rows are not meaningful. */
const GROUP_ROWS_MIN = 3;
const MAIN_CONTRASTS_MAX = 2;
const SMALL_EFFECT_MIN = 0.2;

/** The contrasts of all groupings: measures that the task names first, then by distance. */
function rankGroupContrasts({ groupings, profile }: TableFindings, task: string): GroupContrast[] {
  const rank = ({ grouping }: GroupContrast) => (isMentionedInTask(grouping.column, task) ? 0 : 1);
  return groupings
    .flatMap((grouping) => {
      const column = profile?.columns.find(({ name }) => name === grouping.column);
      const contrast = column === undefined ? null : findGroupContrast(grouping, column);
      return contrast === null ? [] : [contrast];
    })
    .toSorted((a, b) => rank(a) - rank(b) || b.distance - a.distance);
}

/** Whether a contrast is a main finding: Cohen's bound for a small effect. */
export function isNotableContrast({ distance }: GroupContrast): boolean {
  return distance >= SMALL_EFFECT_MIN;
}

function buildGroupInsights(table: TableAnalysis): Insight[] {
  return table.contrasts.map((contrast, place) => {
    const isMain = isNotableContrast(contrast) && place < MAIN_CONTRASTS_MAX;
    return createInsight(formatContrast(contrast), checkMean(table, contrast.column), isMain);
  });
}

/** "Mean of Body Mass (g) by Species is highest for Gentoo: 5076 (n = 123), lowest for …" */
function formatContrast({ grouping, high, low }: GroupContrast): string {
  const mean = `Mean of ${formatLabel(grouping.column)} by ${formatLabel(grouping.groupBy)}`;
  const highest = `is highest for ${formatLabel(high.group)}: ${high.mean} (n = ${high.count})`;
  return `${mean} ${highest}, lowest for ${formatLabel(low.group)}: ${low.mean} (n = ${low.count})`;
}

function findGroupContrast(
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
  if (high === undefined || low === undefined || high.mean === low.mean) return null;
  const distance = (high.mean - low.mean) / (column.standardDeviation || Infinity);
  return { grouping, column, high, low, distance };
}

const MISSING_INSIGHTS_MAX = 8;
const MOST_COMMON_INSIGHTS_MAX = 5;
const NO_LETTER_OR_DIGIT = /^[^\p{L}\p{N}]+$/u;

/** Missing values, most common values, and placeholders. */
function buildValueInsights(profile: TableProfile): Insight[] {
  const gaps = profile.columns
    .filter(hasMissingValues)
    .toSorted((a, b) => b.missing - a.missing)
    .slice(0, MISSING_INSIGHTS_MAX)
    .map(({ name, missing }, place) => {
      const text = `${formatLabel(name)} is missing in ${missing} of ${formatCount(profile.rows, "row")}`;
      return createInsight(text, null, place === 0);
    });
  const mostCommon = profile.columns
    .filter(({ top, distinct, count }) => top.length > 0 && distinct < count)
    .slice(0, MOST_COMMON_INSIGHTS_MAX)
    .map(formatMostCommonValue);
  const placeholders = profile.columns.flatMap(findPlaceholders).map(({ column, value, count }) => {
    const times = count === 1 ? "once" : `${count} times`;
    return `${formatLabel(column)} holds "${formatLabel(value)}" ${times}, which may stand for a missing value`;
  });
  return [...gaps, ...[...mostCommon, ...placeholders].map((text) => createInsight(text, null))];
}

export function hasMissingValues({ missing, type }: ColumnProfile): boolean {
  return missing > 0 && type !== "empty";
}

/** The values without a letter or digit, such as ".". */
export function findPlaceholders({ name, top }: ColumnProfile) {
  return top.flatMap(({ value, count }) =>
    typeof value === "string" && NO_LETTER_OR_DIGIT.test(value)
      ? [{ column: name, value, count }]
      : [],
  );
}

function formatMostCommonValue({ name, top, distinct, count }: ColumnProfile): string {
  const [first] = top;
  if (first === undefined) return "";
  if (distinct === 1)
    return `${formatLabel(name)} is ${formatLabel(first.value)} in all ${formatCount(count, "row")}`;
  const most = `${formatLabel(first.value)}, in ${first.count} of ${formatCount(count, "row")}`;
  return `The commonest of ${distinct} values of ${formatLabel(name)} is ${most}`;
}

const KEYWORD_TERMS_MAX = 5;

function buildTextInsights(text: TextFindings): Insight[] {
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
