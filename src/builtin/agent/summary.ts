import { hasReadableInput, interleave, type TableFindings, type TextFindings } from "./findings.ts";
import {
  type InputAnalysis,
  isNotableContrast,
  isNotableCorrelation,
  type TableAnalysis,
  findFencesWithOutliers,
  findPlaceholders,
  type GroupContrast,
  hasMissingValues,
  isStrongCorrelation,
} from "./insights.ts";
import type { TaskInputs } from "./inputs.ts";
import type { ColumnProfile, TableProfile } from "./result-schemas.ts";
import { formatCount, formatLabel, formatList } from "../../kernel/text.ts";

const MAIN_FINDINGS_MAX = 3;

/** Two to five sentences: sources, main findings and gaps. `shortfall`: the last sentence, or null. */
export function buildSummary(
  analysis: InputAnalysis,
  inputs: TaskInputs,
  shortfall: string | null,
): string[] {
  const last = shortfall === null ? [] : [shortfall];
  if (!hasReadableInput(analysis)) return [...explainMissingInput(analysis, inputs), ...last];
  const { tables, texts } = analysis;
  const read = formatList([...tables.flatMap(describeTable), ...texts.flatMap(describeText)]);
  const found = interleave([
    ...tables.map(summarizeTableFindings),
    ...texts.map(summarizeTextFindings),
  ]);
  const none = ["It shows no pattern that the agent looks for."];
  const main = found.length === 0 ? none : found.slice(0, MAIN_FINDINGS_MAX);
  return [`The agent read ${read}.`, ...main, ...last];
}

function explainMissingInput(
  { tables }: InputAnalysis,
  { sources, unusable }: TaskInputs,
): string[] {
  const empty = tables.filter(({ profile }) => profile?.rows === 0).map(({ source }) => source);
  if (empty.length > 0) {
    return [
      `There are no rows in ${formatList(empty)}.`,
      "So there is nothing to find, and no figure is given.",
    ];
  }
  if (sources.length > 0) {
    return [
      `Nothing could be read of ${formatList(sources.map(({ id }) => id))}.`,
      "So no figure is given.",
    ];
  }
  return [
    unusable[0] ?? "There was nothing to read: the context holds no csv, data or text.",
    "So the agent found nothing, and gives no figure.",
    ...(unusable.length === 0
      ? [
          'The task\'s text is an instruction without input. Add the input after it ("Summarise: …") or in context.text.',
        ]
      : []),
  ];
}

function describeTable({ source, profile, pairs }: TableFindings): string[] {
  if (profile === null) return pairs.length === 0 ? [] : [source];
  const columns = profile.columns.length + profile.unread;
  return [`${formatCount(profile.rows, "row")} and ${formatCount(columns, "column")} of ${source}`];
}

function describeText({ source, readability, extract, keywords }: TextFindings): string[] {
  if (readability !== null) {
    const { words, sentences } = readability;
    return [`${formatCount(words, "word")} in ${formatCount(sentences, "sentence")} of ${source}`];
  }
  if (extract !== null) return [`${formatCount(extract.ofSentences, "sentence")} of ${source}`];
  return keywords === null ? [] : [source];
}

function summarizeTableFindings(table: TableAnalysis): string[] {
  const { profile, pairs, roles, contrasts, timeTrends } = table;
  const pair = pairs.find(isNotableCorrelation);
  const contrast = contrasts.find(isNotableContrast);
  const sentences: string[] = [];
  if (pair !== undefined) {
    const way = pair.r > 0 ? "rise and fall together" : "move in opposite ways";
    sentences.push(`${formatLabel(pair.x)} and ${formatLabel(pair.y)} ${way} (r = ${pair.r}).`);
  }
  if (contrast !== undefined) {
    const { grouping, high, low } = contrast;
    const ends = `from ${low.mean} for ${formatLabel(low.group)} to ${high.mean} for ${formatLabel(high.group)}`;
    sentences.push(
      `By ${formatLabel(grouping.groupBy)}, the mean of ${formatLabel(grouping.column)} goes ${ends}.`,
    );
  }
  if (profile === null) return sentences;
  for (const trend of timeTrends.filter(({ direction }) => direction !== "flat")) {
    sentences.unshift(
      `${formatLabel(trend.column)} is ${trend.direction} over ${formatLabel(trend.by)}.`,
    );
  }
  if (sentences.length > 0) return sentences;
  const means = (roles?.measures ?? [])
    .slice(0, MAIN_FINDINGS_MAX)
    .filter(({ mean }) => mean !== null)
    .map(({ name, mean }) => `The mean of ${formatLabel(name)} is ${mean}.`);
  if (means.length > 0) return means;
  const mostCommon = profile.columns
    .filter(({ distinct, count }) => distinct < count)
    .flatMap(({ name, top }) => top.slice(0, 1).map((value) => ({ name, ...value })));
  return mostCommon
    .slice(0, 1)
    .map(
      ({ name, value, count }) =>
        `The most common ${formatLabel(name)} is ${formatLabel(value)}, in ${formatCount(count, "row")}.`,
    );
}

function summarizeTextFindings({ keywords, readability }: TextFindings): string[] {
  const terms = (keywords?.keywords ?? []).slice(0, 3).map(({ term }) => term);
  const sentences = terms.length === 0 ? [] : [`The main keywords are ${formatList(terms)}.`];
  const { fleschReadingEase: ease = null, level = null } = readability ?? {};
  if (ease !== null && level !== null)
    sentences.push(`The text is ${level} to read (Flesch ${ease}).`);
  return sentences;
}

const RECOMMENDATIONS_MAX = 8;
const RECOMMENDATIONS_PER_KIND_MAX = 2;
/** Half a standard deviation between two groups' means is a medium effect (Cohen's d). */
const MEDIUM_EFFECT_MIN = 0.5;
/** A distribution is skewed if mean and median are this many standard deviations apart. */
const SKEW_MIN = 0.25;
const ROWS_SAMPLE_MIN = 30;
/** Flesch calls a text below this score difficult. */
const DIFFICULT_READING_EASE_MAX = 50;
const WORDS_SAMPLE_MIN = 100;

/** Recommendations from the findings; each names its figures. */
export function buildRecommendations({ tables, texts }: InputAnalysis): string[] {
  const bySource = [...tables.map(recommendForTable), ...texts.map(recommendForText)];
  return interleave(bySource).slice(0, RECOMMENDATIONS_MAX);
}

function recommendForTable(table: TableAnalysis): string[] {
  const { profile, pairs, roles } = table;
  if (roles === null || profile === null || profile.rows === 0) return [];
  const contrasts = table.contrasts.filter(({ distance }) => distance >= MEDIUM_EFFECT_MIN);
  const trends = table.timeTrends.filter(({ direction }) => direction !== "flat");
  const group = contrasts[0]?.grouping.groupBy;
  const caution =
    group === undefined ? "" : `, but check first that it holds within each ${formatLabel(group)}`;
  const kinds = [
    pairs
      .filter(isStrongCorrelation)
      .slice(0, 1)
      .map(
        ({ x, y, r }) =>
          `Use ${formatLabel(x)} to estimate ${formatLabel(y)}, or the reverse (r = ${r})${caution}.`,
      ),
    contrasts.map(recommendForContrast),
    trends.map(
      ({ column, by, direction, slope, perUnit }) =>
        `Plan with ${formatLabel(column)} ${direction} over ${formatLabel(by)} (${slope} per ${formatLabel(perUnit)}), as long as nothing else changes.`,
    ),
    findFencesWithOutliers(table).map(({ column, count, outliers: [first] }) => {
      const place = first === undefined ? "" : `, first row ${first.row} with ${first.value},`;
      return `Check the ${formatCount(count, "outlier")} of ${formatLabel(column)}${place} before you rely on its mean.`;
    }),
    roles.measures
      .filter(isSkewed)
      .map(
        ({ name, mean, median }) =>
          `Report the median of ${formatLabel(name)} (${median}) as well as its mean (${mean}), because they differ greatly.`,
      ),
    recommendForMissingValues(profile),
    profile.columns
      .flatMap(findPlaceholders)
      .map(
        ({ column, value, count }) =>
          `Find out what "${formatLabel(value)}" (${formatCount(count, "time")}) means in ${formatLabel(column)}; if it marks a missing value, leave the cell empty.`,
      ),
    profile.columns
      .filter(({ distinct, count }) => distinct === 1 && count > 1)
      .map(
        ({ name, count }) =>
          `Leave ${formatLabel(name)} out of comparisons: it is the same in all ${formatCount(count, "row")}.`,
      ),
    profile.rows < ROWS_SAMPLE_MIN
      ? [
          `Collect more rows before you act on these figures: ${formatCount(profile.rows, "row")} can mislead.`,
        ]
      : [],
  ];
  return kinds.flatMap((kind) => kind.slice(0, RECOMMENDATIONS_PER_KIND_MAX));
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

function recommendForText({ readability }: TextFindings): string[] {
  const { fleschReadingEase: ease = null, words = 0, level } = readability ?? {};
  if (ease === null || ease >= DIFFICULT_READING_EASE_MAX || words < WORDS_SAMPLE_MIN) return [];
  return [
    `Shorten sentences and words if the text is meant for everybody: its Flesch reading ease is ${ease} (${level}).`,
  ];
}
