import type { CapabilityHandler, CapabilityHandlers } from "../../../tools/connectors/contract.ts";
import { extractKeywords } from "./keywords.ts";
import { measureReadability } from "./readability.ts";
import { selectContentWords } from "./content-words.ts";
import { detectLanguage } from "./language.ts";
import { computePageRank, createWordGraph } from "./page-rank.ts";
import { fail, ok } from "../../../kernel/result.ts";
import { roundToFourDigits } from "../rounding.ts";
import { collectProblems, parseWholeNumber } from "../parameters.ts";
import { parseReadableText, segmentSentences, segmentWords } from "./segmentation.ts";

const SENTENCES_LIMITS = [1, 20] as const;
const SENTENCES_DEFAULT = 3;
/** Comparing all pairs of more sentences would take over a second, and important sentences tend to come first. */
const RANKED_MAX = 400;

/**
 * `{text, sentences?}` → `{summary, sentences: [{position, text, score}], ofSentences, method, notes}`. Selects the
 * best sentences, in text order. Positions start at 1.
 */
const summarizeText: CapabilityHandler = async (parameters) => {
  const text = parseReadableText(parameters["text"]);
  const most = parseWholeNumber("sentences", parameters, SENTENCES_LIMITS, SENTENCES_DEFAULT);
  if (!text.ok || !most.ok) return fail(collectProblems([text, most]));
  const all = segmentSentences(text.value);
  const read = removeRepeatedSentences(all).slice(0, RANKED_MAX);
  const ranks = rankSentences(stemSentences(read.map((sentence) => sentence.text)));
  const chosen = read
    .map((sentence, index) => ({ ...sentence, rank: ranks[index] ?? 0 }))
    .toSorted((one, other) => other.rank - one.rank || one.position - other.position)
    .slice(0, most.value)
    .toSorted((one, other) => one.position - other.position);
  return ok({
    summary: chosen.map((sentence) => sentence.text).join(" "),
    sentences: chosen.map(({ rank, ...sentence }) => ({
      ...sentence,
      score: roundToFourDigits(rank),
    })),
    ofSentences: all.length,
    method: "TextRank",
    notes: buildSummaryNotes(read.at(-1)?.position ?? 0, all.length),
  });
};

export const textAnalystHandlers: CapabilityHandlers = {
  keywords: extractKeywords,
  summarise: summarizeText,
  readability: measureReadability,
};

/** Keeps only the first of equal sentences, because a repeated sentence would vote for itself. */
function removeRepeatedSentences(
  sentences: readonly string[],
): { position: number; text: string }[] {
  const positions = new Map<string, number>();
  sentences.forEach((text, index) => {
    if (!positions.has(text)) positions.set(text, index + 1);
  });
  return Array.from(positions, ([text, position]) => ({ position, text }));
}

function buildSummaryNotes(read: number, sentences: number): string[] {
  if (read < RANKED_MAX || read === sentences) return [];
  const [first, all] = [read, sentences].map((count) => count.toLocaleString("en-US"));
  return [`Only the first ${first} of ${all} sentences were read.`];
}

/** The TextRank of sentences, given as sets of stems. Sentences that share words vote for each other. */
function rankSentences(sentences: readonly ReadonlySet<string>[]): number[] {
  const graph = createWordGraph(sentences.length);
  sentences.forEach((sentence, from) => {
    for (let to = from + 1; to < sentences.length; to++) {
      const weight = measureSimilarity(sentence, sentences[to] ?? new Set());
      if (weight > 0) graph.addEdge(from, to, { weight });
    }
  });
  return computePageRank(graph);
}

function measureSimilarity(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  const lengths = Math.log(one.size) + Math.log(other.size);
  // For two one-word sentences, the logarithms add up to zero.
  return lengths > 0 ? one.intersection(other).size / lengths : 0;
}

function stemSentences(sentences: readonly string[]): ReadonlySet<string>[] {
  const words = sentences.map((sentence) => Array.from(segmentWords(sentence)));
  const language = detectLanguage(words.flat());
  return words.map(
    (sentence) => new Set(selectContentWords(sentence, language).map(({ stem }) => stem)),
  );
}
