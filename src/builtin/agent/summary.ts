import { hasReadableInput, interleave, type TableFindings, type TextFindings } from "./findings.ts";
import {
  type InputAnalysis,
  type TableAnalysis,
  findFencesWithOutliers,
  findPlaceholders,
  describeTrend,
  formatChange,
  formatMostCommonValue,
  hasMissingValues,
  nameReadingLevel,
} from "./insights.ts";
import { formatAmount, formatFigure } from "./figures.ts";
import {
  describeCorrelation,
  describeSkew,
  type GroupContrast,
  isMediumContrast,
  isNotableContrast,
  isNotableCorrelation,
  isNotableTrend,
  isPredictiveCorrelation,
  isPredictiveTrend,
} from "./effect-sizes.ts";
import type { TaskInputs } from "./inputs.ts";
import type {
  ColumnProfile,
  Correlation,
  OutlierFences,
  TableProfile,
  TrendLine,
} from "./result-schemas.ts";
import { formatLabel, formatList } from "../../kernel/text.ts";

const MAIN_FINDINGS_MAX = 3;
const SUMMARY_TERMS_MAX = 3;

/** Two to five sentences: the sources, the main findings, and `shortfall` unless it is null. */
export function buildSummary(
  analysis: InputAnalysis,
  inputs: TaskInputs,
  shortfall: string | null,
): string[] {
  const last = shortfall === null ? [] : [shortfall];
  if (!hasReadableInput(analysis)) return [...explainMissingInput(analysis, inputs), ...last];
  const { tables, texts } = analysis;
  const read = formatList([...tables.flatMap(describeTable), ...texts.flatMap(describeText)]);
  const found = interleave(
    nameSources([
      ...tables.map((table) => ({
        source: table.source,
        sentences: summarizeTableFindings(table),
      })),
      ...texts.map((text) => ({ source: text.source, sentences: summarizeTextFindings(text) })),
    ]),
  );
  const none = ["The agent found none of the patterns that it looks for."];
  const main = found.length === 0 ? none : found.slice(0, MAIN_FINDINGS_MAX);
  return [`The agent read ${read}.`, ...main, ...last];
}

const NO_FIGURES = "The report therefore contains no figures.";

function explainMissingInput(
  { tables }: InputAnalysis,
  { sources, unusable }: TaskInputs,
): string[] {
  const empty = tables.filter(({ profile }) => profile?.rows === 0).map(({ source }) => source);
  if (empty.length > 0) {
    return [`There are no rows in ${formatList(empty)}.`, NO_FIGURES];
  }
  if (sources.length > 0) {
    return [`Nothing could be read from ${formatList(sources.map(({ id }) => id))}.`, NO_FIGURES];
  }
  return [
    unusable[0] ?? "There was nothing to read: the context contains no csv, data or text.",
    NO_FIGURES,
    ...(unusable.length === 0
      ? [
          'The task text is an instruction without input. Add the input after it ("Summarise: …") or in context.text.',
        ]
      : []),
  ];
}

function describeTable({ source, profile, pairs }: TableFindings): string[] {
  if (profile === null) return pairs.length === 0 ? [] : [source];
  const columns = profile.columns.length + profile.unread;
  return [
    `${formatAmount(profile.rows, "row")} and ${formatAmount(columns, "column")} of ${source}`,
  ];
}

function describeText({ source, readability, extract, keywords }: TextFindings): string[] {
  if (readability !== null) {
    const { words, sentences } = readability;
    return [
      `${formatAmount(words, "word")} in ${formatAmount(sentences, "sentence")} of ${source}`,
    ];
  }
  if (extract !== null) return [`${formatAmount(extract.ofSentences, "sentence")} of ${source}`];
  return keywords === null ? [] : [source];
}

function summarizeTableFindings(table: TableAnalysis): string[] {
  const { profile, pairs, roles, contrasts, timeTrends } = table;
  const pair = pairs.find(isNotableCorrelation);
  const contrast = contrasts.find(isNotableContrast);
  const sentences: string[] = [];
  if (pair !== undefined) {
    const [x, y] = [formatLabel(pair.x), formatLabel(pair.y)];
    sentences.push(
      `${x} and ${y} have ${describeCorrelation(pair)} (r = ${formatFigure(pair.r)}).`,
    );
  }
  if (contrast !== undefined) {
    const { grouping, high, low } = contrast;
    const [from, to] = [low, high].map(
      ({ mean, group }) => `${formatFigure(mean ?? 0)} for ${formatLabel(group)}`,
    );
    sentences.push(
      `The mean of ${formatLabel(grouping.column)} by ${formatLabel(grouping.groupBy)} ranges from ${from} to ${to}.`,
    );
  }
  if (profile === null) return sentences;
  sentences.unshift(
    ...timeTrends.filter(isNotableTrend).map((trend) => `${describeTrend(trend)}.`),
  );
  if (sentences.length > 0) return sentences;
  const means = (roles?.measures ?? [])
    .slice(0, MAIN_FINDINGS_MAX)
    .flatMap(({ name, mean }) =>
      mean === null ? [] : [`The mean of ${formatLabel(name)} is ${formatFigure(mean)}.`],
    );
  if (means.length > 0) return means;
  return profile.columns
    .map(formatMostCommonValue)
    .flatMap((sentence) => (sentence === null ? [] : [`${sentence}.`]))
    .slice(0, 1);
}

function summarizeTextFindings({ keywords, readability }: TextFindings): string[] {
  const terms = (keywords?.keywords ?? []).slice(0, SUMMARY_TERMS_MAX).map(({ term }) => term);
  const are = terms.length === 1 ? "keyword is" : "keywords are";
  const sentences = terms.length === 0 ? [] : [`The main ${are} ${formatList(terms)}.`];
  const level = readability === null ? null : nameReadingLevel(readability);
  const ease = readability?.fleschReadingEase ?? null;
  if (ease !== null && level !== null)
    sentences.push(`The text is ${level} to read (Flesch reading ease ${formatFigure(ease)}).`);
  return sentences;
}

const RECOMMENDATIONS_MAX = 8;
const RECOMMENDATIONS_PER_KIND_MAX = 2;
/** The usual minimum sample size at which means are approximately normally distributed. */
const ROWS_SAMPLE_MIN = 30;
/** Below this reading ease, Flesch (1948) calls a text difficult. */
const DIFFICULT_READING_EASE_MAX = 50;

/**
 * Recommendations based on the findings, each with its figures. If there are several sources, each starts with its
 * source.
 */
export function buildRecommendations({ tables, texts }: InputAnalysis): string[] {
  const bySource = [
    ...tables.map((table) => ({ source: table.source, sentences: recommendForTable(table) })),
    ...texts.map((text) => ({ source: text.source, sentences: recommendForText(text) })),
  ];
  return interleave(nameSources(bySource)).slice(0, RECOMMENDATIONS_MAX);
}

/** The sentences for each source, prefixed with its name if there are several sources. */
function nameSources(
  bySource: readonly { readonly source: string; readonly sentences: readonly string[] }[],
): readonly (readonly string[])[] {
  return bySource.map(({ source, sentences }) =>
    bySource.length === 1 ? sentences : sentences.map((sentence) => `${source}: ${sentence}`),
  );
}

function recommendForTable(table: TableAnalysis): string[] {
  const { profile, pairs, roles } = table;
  if (roles === null || profile === null || profile.rows === 0) return [];
  const contrasts = table.contrasts.filter(isMediumContrast);
  const group = contrasts[0]?.grouping.groupBy;
  const kinds = [
    pairs
      .filter(isPredictiveCorrelation)
      .slice(0, 1)
      .map((pair) => recommendForCorrelation(pair, group)),
    contrasts.map(recommendForContrast),
    table.timeTrends.filter(isPredictiveTrend).map(recommendForTrend),
    findFencesWithOutliers(table).map(recommendForOutliers),
    roles.measures.flatMap(recommendForSkew),
    recommendForMissingValues(profile),
    profile.columns
      .flatMap(findPlaceholders)
      .map(
        ({ column, value, count }) =>
          `Find out what "${formatLabel(value)}" means in ${formatLabel(column)} (${formatAmount(count, "row")}); if it marks a missing value, leave the cell empty.`,
      ),
    profile.columns
      .filter(({ distinct, count }) => distinct === 1 && count > 1)
      .map(
        ({ name, count, missing }) =>
          `Leave ${formatLabel(name)} out of comparisons, because it is the same in all ${formatAmount(count, "row")}${missing === 0 ? "" : " with a value"}.`,
      ),
    profile.rows < ROWS_SAMPLE_MIN
      ? [
          `Collect more rows before you act on these figures: the table has only ${formatAmount(profile.rows, "row")}, and fewer than ${ROWS_SAMPLE_MIN} can be misleading.`,
        ]
      : [],
  ];
  return kinds.flatMap((kind) => kind.slice(0, RECOMMENDATIONS_PER_KIND_MAX));
}

function recommendForCorrelation({ x, y, r }: Correlation, group: string | undefined): string {
  const explained = Math.round(100 * r ** 2);
  const caution =
    group === undefined
      ? ""
      : ` Check first that this also holds within each ${formatLabel(group)}.`;
  return `Use ${formatLabel(x)} to estimate ${formatLabel(y)}, or vice versa: a straight line explains ${explained}% of the variance (r = ${formatFigure(r)}).${caution}`;
}

function recommendForContrast({ grouping, high, low }: GroupContrast): string {
  const [most, least] = [high, low].map(
    ({ mean, group }) => `${formatFigure(mean ?? 0)} for ${formatLabel(group)}`,
  );
  return `Look at ${formatLabel(grouping.column)} by ${formatLabel(grouping.groupBy)} rather than overall: the mean is ${most} and ${least}.`;
}

function recommendForTrend(trend: TrendLine): string {
  const rise = trend.direction === "rising" ? "rise" : "fall";
  return `Plan for ${formatLabel(trend.column)} to ${rise} by ${formatChange(trend) ?? ""} as long as conditions stay the same (r² = ${formatFigure(trend.r2 ?? 0)}).`;
}

function recommendForOutliers({ column, count, outliers: [first] }: OutlierFences): string {
  const start = count === 1 ? "" : "starting with ";
  const place =
    first === undefined
      ? ""
      : `, ${start}${formatFigure(first.value)} in row ${formatFigure(first.row)},`;
  return `Check the ${count === 1 ? "outlier" : formatAmount(count, "outlier")} in ${formatLabel(column)}${place} before you rely on its mean.`;
}

function recommendForSkew(column: ColumnProfile): string[] {
  const { name, mean, median } = column;
  const reason = describeSkew(column);
  if (reason === null || mean === null || median === null) return [];
  return [
    `Report the median of ${formatLabel(name)} (${formatFigure(median)}) as well as its mean (${formatFigure(mean)}), because ${reason}.`,
  ];
}

function recommendForMissingValues({ columns, rows }: TableProfile): string[] {
  const gappy = columns.filter(hasMissingValues).toSorted((a, b) => b.missing - a.missing);
  const [most] = gappy;
  if (most === undefined) return [];
  const others =
    gappy.length === 1 ? "" : ` and in ${formatAmount(gappy.length - 1, "other column")}`;
  return [
    `Fill in or explain the missing values in ${formatLabel(most.name)} (${formatFigure(most.missing)} of ${formatAmount(rows, "row")})${others}.`,
  ];
}

function recommendForText({ readability }: TextFindings): string[] {
  if (readability === null) return [];
  const { fleschReadingEase: ease } = readability;
  const level = nameReadingLevel(readability);
  if (ease === null || level === null || ease >= DIFFICULT_READING_EASE_MAX) return [];
  return [
    `If the text is for a general audience, shorten its sentences and choose shorter words. Its Flesch reading ease is ${formatFigure(ease)} (${level}).`,
  ];
}
