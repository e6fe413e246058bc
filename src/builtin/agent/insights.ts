import {
  checkCorrelation,
  checkMean,
  checkOutlierFences,
  checkTextLength,
  type CrossCheck,
} from "./cross-checks.ts";
import type { InputFindings, TableFindings, TextFindings } from "./findings.ts";
import { formatLabel, formatList } from "../../kernel/text.ts";
import { formatAmount, formatFigure } from "./figures.ts";
import {
  areExceptional,
  describeContrast,
  describeCorrelation,
  findGroupContrast,
  type GroupContrast,
  isNotableContrast,
  isNotableCorrelation,
} from "./effect-sizes.ts";
import type {
  ColumnProfile,
  OutlierFences,
  ReadabilityResult,
  TableProfile,
  TrendLine,
} from "./result-schemas.ts";
import { classifyColumns, type ColumnRoles, isMentionedInTask } from "./column-roles.ts";

/** A sentence with figures from tools. `crossCheck` is null for insights that need no check, such as quotations. */
export interface Insight {
  readonly text: string;
  readonly crossCheck: CrossCheck | null;
  readonly isMain: boolean;
}

/** `statement` is a sentence without its full stop. */
export function createInsight(
  statement: string,
  crossCheck: CrossCheck | null,
  isMain = false,
): Insight {
  const doubt = crossCheck === "contradicted" ? "; a second call returned a different figure" : "";
  return { text: `${statement}${doubt}.`, crossCheck, isMain };
}

/** The results for one table, with derived values for the insights, charts, summary and recommendations. */
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

/** Analyses the findings. Columns that the task mentions come first. */
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

/**
 * The insights for each source. All figures are derived from tool results. If there are several sources, each sentence
 * starts with its source.
 */
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

function buildMeanInsights(table: TableAnalysis): Insight[] {
  return (table.roles?.measures ?? []).slice(0, MEAN_INSIGHTS_MAX).flatMap((column) => {
    const { name, mean, count, standardDeviation } = column;
    if (mean === null) return [];
    const spread = standardDeviation === null ? "" : `, SD ${formatFigure(standardDeviation)}`;
    const text = `The mean of ${formatLabel(name)} is ${formatFigure(mean)} (n = ${formatFigure(count)}${spread})`;
    return [createInsight(text, checkMean(table, column))];
  });
}

function buildCorrelationInsights(table: TableFindings): Insight[] {
  return table.pairs.slice(0, CORRELATION_INSIGHTS_MAX).map((pair, place) => {
    const { x, y, r, n } = pair;
    const figures = `r = ${formatFigure(r)} (n = ${formatFigure(n)})`;
    const text = `${formatLabel(x)} and ${formatLabel(y)} have ${describeCorrelation(pair)}: ${figures}`;
    const isMain = isNotableCorrelation(pair) && place < MAIN_CORRELATIONS_MAX;
    return createInsight(text, checkCorrelation(table, pair), isMain);
  });
}

/** A line fits any two points, so the tool does not test their trend. */
const TREND_POINTS_MIN = 3;
const TIME_UNIT = /^(year|quarter|month|week|day)s?$/i;

/** For example, "The trend of sales over month is a rise of 3.2 per day (n = 30, r² = 0.93)". */
export function formatTrend(trend: TrendLine): string {
  const { n, r2 } = trend;
  const fit = r2 === null ? "" : `, r² = ${formatFigure(r2)}`;
  return `${describeTrend(trend)} (n = ${formatFigure(n)}${fit})`;
}

/** Describes a trend without n and r². */
export function describeTrend(trend: TrendLine): string {
  const subject = `The trend of ${formatLabel(trend.column)} over ${formatLabel(trend.by)}`;
  if (trend.n < TREND_POINTS_MIN) return `${subject} is unknown because there are too few values`;
  const change = formatChange(trend);
  if (change === null) return `${subject} is not significant`;
  return `${subject} is a ${trend.direction === "rising" ? "rise" : "fall"} of ${change}`;
}

/** The size of the change, such as "3.2 per day"; null for a flat trend. */
export function formatChange({ by, slope, direction, perUnit }: TrendLine): string | null {
  if (direction === "flat" || slope === null) return null;
  const [, timeUnit] = TIME_UNIT.exec(by.trim()) ?? [];
  const isOfColumn = perUnit.startsWith("unit of ");
  const unit = isOfColumn ? (timeUnit?.toLowerCase() ?? `unit of ${formatLabel(by)}`) : perUnit;
  return `${formatFigure(Math.abs(slope))} per ${unit}`;
}

function buildOutlierInsights(table: TableAnalysis): Insight[] {
  return findFencesWithOutliers(table)
    .slice(0, OUTLIER_INSIGHTS_MAX)
    .map((fences, place) => {
      const crossCheck = checkOutlierFences(table, fences);
      return createInsight(formatOutliers(table, fences), crossCheck, place < MAIN_OUTLIERS_MAX);
    });
}

/**
 * For example, "3 of 30 values of income are outliers, outside the range -12,770 to 34,640; the farthest is 346,409 in
 * row 40".
 */
function formatOutliers(table: TableFindings, fences: OutlierFences): string {
  const { column, count, lower, upper, outliers } = fences;
  const present = countPresent(table, column);
  const among =
    present === null
      ? formatAmount(count, "value")
      : `${formatFigure(count)} of ${formatAmount(present, "value")}`;
  const are = count === 1 ? "is an outlier" : "are outliers";
  const range = `outside the range ${formatFigure(lower ?? 0)} to ${formatFigure(upper ?? 0)}`;
  const [farthest] = outliers;
  const it = count === 1 ? "it" : "the farthest";
  const most =
    farthest === undefined
      ? ""
      : `; ${it} is ${formatFigure(farthest.value)} in row ${formatFigure(farthest.row)}`;
  return `${among} of ${formatLabel(column)} ${are}, ${range}${most}`;
}

/** The fences that have outliers. Only measures are included if the column roles are known. */
export function findFencesWithOutliers(table: TableAnalysis): OutlierFences[] {
  const isMeasure = (name: string) =>
    table.roles?.measures.some((one) => one.name === name) ?? true;
  return table.fences.filter(
    (fences) =>
      isMeasure(fences.column) && areExceptional(fences, countPresent(table, fences.column)),
  );
}

/** The number of values in a column; null without a profile. */
function countPresent({ profile }: TableFindings, column: string): number | null {
  return profile?.columns.find(({ name }) => name === column)?.count ?? null;
}

const MAIN_CONTRASTS_MAX = 2;

/** The contrasts of all groupings, ranked by distance. Measures that the task mentions come first. */
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

function buildGroupInsights(table: TableAnalysis): Insight[] {
  return table.contrasts.map((contrast, place) => {
    const isMain = isNotableContrast(contrast) && place < MAIN_CONTRASTS_MAX;
    return createInsight(formatContrast(contrast), checkMean(table, contrast.column), isMain);
  });
}

/**
 * For example, "The mean of mass by kind ranges from 3701 for Adelie (n = 151) to 5076 for Gentoo (n = 123): a large
 * difference of 1.71 standard deviations".
 */
function formatContrast(contrast: GroupContrast): string {
  const { grouping, high, low } = contrast;
  const mean = `The mean of ${formatLabel(grouping.column)} by ${formatLabel(grouping.groupBy)}`;
  const [from, to] = [low, high].map(
    (group) =>
      `${formatFigure(group.mean ?? 0)} for ${formatLabel(group.group)} (n = ${formatFigure(group.count)})`,
  );
  return `${mean} ranges from ${from} to ${to}: ${describeContrast(contrast)}`;
}

const MISSING_INSIGHTS_MAX = 8;
const MOST_COMMON_INSIGHTS_MAX = 5;
const NO_LETTER_OR_DIGIT = /^[^\p{L}\p{N}]+$/u;

/** Insights about missing values, the most common values and placeholders. */
function buildValueInsights(profile: TableProfile): Insight[] {
  const gaps = profile.columns
    .filter(hasMissingValues)
    .toSorted((a, b) => b.missing - a.missing)
    .slice(0, MISSING_INSIGHTS_MAX)
    .map(({ name, missing }, place) => {
      const text = `${formatLabel(name)} is missing in ${formatFigure(missing)} of ${formatAmount(profile.rows, "row")}`;
      return createInsight(text, null, place === 0);
    });
  const mostCommon = profile.columns
    .map(formatMostCommonValue)
    .filter((text) => text !== null)
    .slice(0, MOST_COMMON_INSIGHTS_MAX);
  const placeholders = profile.columns.flatMap(findPlaceholders).map(({ column, value, count }) => {
    const times = count === 1 ? "once" : formatAmount(count, "time");
    return `${formatLabel(column)} contains "${formatLabel(value)}" ${times}, which may mark a missing value`;
  });
  return [...gaps, ...[...mostCommon, ...placeholders].map((text) => createInsight(text, null))];
}

export function hasMissingValues({ missing, type }: ColumnProfile): boolean {
  return missing > 0 && type !== "empty";
}

/** Common values that contain no letter or digit, such as ".". */
export function findPlaceholders({ name, top }: ColumnProfile) {
  return top.flatMap(({ value, count }) =>
    typeof value === "string" && NO_LETTER_OR_DIGIT.test(value)
      ? [{ column: name, value, count }]
      : [],
  );
}

/**
 * A sentence about the most common value of a column, or about several equally common ones. Null if none stands out.
 */
export function formatMostCommonValue({ name, top, distinct, count, missing }: ColumnProfile) {
  const [first] = top;
  if (first === undefined || distinct === count) return null;
  const having = missing === 0 ? "" : " with a value";
  if (distinct === 1) {
    return `${formatLabel(name)} is ${formatLabel(first.value)} in all ${formatAmount(count, "row")}${having}`;
  }
  const share = `${formatFigure(first.count)} of ${formatAmount(count, "row")}${having}`;
  const tied = top.filter((one) => one.count === first.count);
  if (tied.length === distinct) {
    return `The ${formatFigure(distinct)} values of ${formatLabel(name)} are equally common (${share} each)`;
  }
  // The tool lists only some values, so others may have the same count.
  if (tied.length === top.length) return null;
  const values = formatList(tied.map(({ value }) => formatLabel(value)));
  const [are, each] = tied.length === 1 ? ["is", ""] : ["are", " each"];
  return `${values} ${are} the most common of ${formatFigure(distinct)} values of ${formatLabel(name)} (${share}${each})`;
}

const KEYWORD_TERMS_MAX = 5;

function buildTextInsights(text: TextFindings): Insight[] {
  const { readability, keywords, extract } = text;
  const insights: Insight[] = [];
  if (readability !== null) {
    const { words, sentences, fleschReadingEase, readingTime } = readability;
    const time = readingTime === null ? "" : ` (reading time: ${readingTime})`;
    const length = `The text has ${formatAmount(words, "word")} in ${formatAmount(sentences, "sentence")}${time}`;
    insights.push(createInsight(length, checkTextLength(text), true));
    if (fleschReadingEase !== null) {
      const level = nameReadingLevel(readability) ?? "a rough figure for so few words";
      const ease = `The Flesch reading ease of the text is ${formatFigure(fleschReadingEase)} (${level})`;
      insights.push(createInsight(ease, "unchecked", true));
    }
  }
  const terms = (keywords?.keywords ?? [])
    .slice(0, KEYWORD_TERMS_MAX)
    .map(({ term, count }) => `${term} (${formatFigure(count)})`);
  if (terms.length > 0) {
    const are =
      terms.length === 1
        ? "keyword of the text, with its count, is"
        : "keywords of the text, with their counts, are";
    insights.push(createInsight(`The main ${are} ${formatList(terms)}`, "unchecked", true));
  }
  for (const { position, text: sentence } of extract?.sentences ?? []) {
    insights.push({
      text: `Sentence ${formatFigure(position)} is central: "${sentence}"`,
      crossCheck: null,
      isMain: false,
    });
  }
  return insights;
}

/** Flesch (1948) used samples of a hundred words; the figures for shorter texts are rough. */
const WORDS_SAMPLE_MIN = 100;

/** The reading level, such as "fairly easy". Null if the text is too short to rate. */
export function nameReadingLevel({ words, level }: ReadabilityResult): string | null {
  return words < WORDS_SAMPLE_MIN ? null : level;
}
