import type { Findings, TableFindings, TextFindings } from "./findings.ts";
import { isAnythingRead } from "./findings.ts";
import { trendsOverTime } from "./insights/all.ts";
import { contrastsOf, isTellingContrast } from "./insights/groups.ts";
import { isTelling } from "./insights/numbers.ts";
import type { Material } from "./material.ts";
import { rolesOf } from "./roles.ts";
import { inTurns } from "./turns.ts";
import { counted, label, listed } from "./wording.ts";

const FINDINGS_MAX = 3;

/**
 * Two to five plain sentences: what was read, the main findings, and what could not be done.
 * `shortfall` is that last sentence, null when all was done.
 */
export function summaryOf(
  findings: Findings,
  material: Material,
  task: string,
  shortfall: string | null,
): string[] {
  const last = shortfall === null ? [] : [shortfall];
  if (!isAnythingRead(findings)) return [...nothingRead(findings, material), ...last];
  const { tables, texts } = findings;
  const read = listed([...tables.flatMap(tableRead), ...texts.flatMap(textRead)]);
  const found = inTurns([
    ...tables.map((table) => tableSentences(table, task)),
    ...texts.map(textSentences),
  ]);
  const none = ["It shows no pattern that the agent looks for."];
  const main = found.length === 0 ? none : found.slice(0, FINDINGS_MAX);
  return [`The agent read ${read}.`, ...main, ...last];
}

function nothingRead({ tables }: Findings, { sources, unusable }: Material): string[] {
  const empty = tables.filter(({ profile }) => profile?.rows === 0).map(({ source }) => source);
  if (empty.length > 0) {
    return [
      `There are no rows in ${listed(empty)}.`,
      "So there is nothing to find, and no figure is given.",
    ];
  }
  if (sources.length > 0) {
    return [
      `Nothing could be read of ${listed(sources.map(({ id }) => id))}.`,
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

function tableRead({ source, profile, pairs }: TableFindings): string[] {
  if (profile === null) return pairs.length === 0 ? [] : [source];
  const columns = profile.columns.length + profile.unread;
  return [`${counted(profile.rows, "row")} and ${counted(columns, "column")} of ${source}`];
}

function textRead({ source, readability, extract, keywords }: TextFindings): string[] {
  if (readability !== null) {
    const { words, sentences } = readability;
    return [`${counted(words, "word")} in ${counted(sentences, "sentence")} of ${source}`];
  }
  if (extract !== null) return [`${counted(extract.ofSentences, "sentence")} of ${source}`];
  return keywords === null ? [] : [source];
}

function tableSentences(table: TableFindings, task: string): string[] {
  const { profile } = table;
  const pair = table.pairs.find(isTelling);
  const contrast = contrastsOf(table, task).find(isTellingContrast);
  const sentences: string[] = [];
  if (pair !== undefined) {
    const way = pair.r > 0 ? "rise and fall together" : "move in opposite ways";
    sentences.push(`${label(pair.x)} and ${label(pair.y)} ${way} (r = ${pair.r}).`);
  }
  if (contrast !== undefined) {
    const { grouping, high, low } = contrast;
    const ends = `from ${low.mean} for ${label(low.group)} to ${high.mean} for ${label(high.group)}`;
    sentences.push(
      `By ${label(grouping.groupBy)}, the mean of ${label(grouping.column)} goes ${ends}.`,
    );
  }
  if (profile === null) return sentences;
  const roles = rolesOf(profile, task);
  for (const trend of trendsOverTime(table, roles).filter(
    ({ direction }) => direction !== "flat",
  )) {
    sentences.unshift(`${label(trend.column)} is ${trend.direction} over ${label(trend.by)}.`);
  }
  if (sentences.length === 0) {
    for (const { name, mean } of roles.measures.slice(0, FINDINGS_MAX)) {
      if (mean !== null) sentences.push(`The mean of ${label(name)} is ${mean}.`);
    }
  }
  const [top] = profile.columns
    .filter(({ distinct, count }) => distinct < count)
    .flatMap(commonest);
  return sentences.length === 0 && top !== undefined ? [top] : sentences;
}

function commonest({
  name,
  top,
}: {
  name: string;
  top: { value: string | number | boolean; count: number }[];
}): string[] {
  const [first] = top;
  return first === undefined
    ? []
    : [
        `The most common ${label(name)} is ${label(first.value)}, in ${counted(first.count, "row")}.`,
      ];
}

function textSentences({ keywords, readability }: TextFindings): string[] {
  const terms = (keywords?.keywords ?? []).slice(0, 3).map(({ term }) => term);
  const sentences = terms.length === 0 ? [] : [`The main keywords are ${listed(terms)}.`];
  const { fleschReadingEase: ease = null, level = null } = readability ?? {};
  if (ease !== null && level !== null)
    sentences.push(`The text is ${level} to read (Flesch ${ease}).`);
  return sentences;
}
