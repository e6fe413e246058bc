import {
  hasReadableInput,
  type InputFindings,
  interleave,
  type TableFindings,
  type TextFindings,
} from "./findings.ts";
import {
  type InputAnalysis,
  isNotableContrast,
  isNotableCorrelation,
  type TableAnalysis,
} from "./insights.ts";
import type { TaskInputs } from "./inputs.ts";
import type { ColumnProfile } from "./result-schemas.ts";
import { formatCount, formatLabel, formatList } from "../../kernel/text.ts";

const MAIN_FINDINGS_MAX = 3;

/**
 * Two to five sentences: the sources, the main findings, and what could not be done. `shortfall`: the last
 * sentence, or null.
 */
export function buildSummary(
  findings: InputFindings,
  analysis: InputAnalysis,
  inputs: TaskInputs,
  shortfall: string | null,
): string[] {
  const last = shortfall === null ? [] : [shortfall];
  if (!hasReadableInput(findings)) return [...explainMissingInput(findings, inputs), ...last];
  const { tables, texts } = findings;
  const read = formatList([...tables.flatMap(describeTable), ...texts.flatMap(describeText)]);
  const found = interleave([
    ...analysis.tables.map(summarizeTableFindings),
    ...texts.map(summarizeTextFindings),
  ]);
  const none = ["It shows no pattern that the agent looks for."];
  const main = found.length === 0 ? none : found.slice(0, MAIN_FINDINGS_MAX);
  return [`The agent read ${read}.`, ...main, ...last];
}

function explainMissingInput(
  { tables }: InputFindings,
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

function summarizeTableFindings({
  findings,
  roles,
  contrasts,
  timeTrends,
}: TableAnalysis): string[] {
  const { profile, pairs } = findings;
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
  if (sentences.length === 0) {
    for (const { name, mean } of (roles?.measures ?? []).slice(0, MAIN_FINDINGS_MAX)) {
      if (mean !== null) sentences.push(`The mean of ${formatLabel(name)} is ${mean}.`);
    }
  }
  const [top] = profile.columns
    .filter(({ distinct, count }) => distinct < count)
    .flatMap(formatMostCommonValue);
  return sentences.length === 0 && top !== undefined ? [top] : sentences;
}

function formatMostCommonValue({ name, top }: Pick<ColumnProfile, "name" | "top">): string[] {
  const [first] = top;
  return first === undefined
    ? []
    : [
        `The most common ${formatLabel(name)} is ${formatLabel(first.value)}, in ${formatCount(first.count, "row")}.`,
      ];
}

function summarizeTextFindings({ keywords, readability }: TextFindings): string[] {
  const terms = (keywords?.keywords ?? []).slice(0, 3).map(({ term }) => term);
  const sentences = terms.length === 0 ? [] : [`The main keywords are ${formatList(terms)}.`];
  const { fleschReadingEase: ease = null, level = null } = readability ?? {};
  if (ease !== null && level !== null)
    sentences.push(`The text is ${level} to read (Flesch ${ease}).`);
  return sentences;
}
