import { type ContentWord, selectContentWords } from "./content-words.ts";
import { computePageRank, createWordGraph } from "./page-rank.ts";
import type { CapabilityHandler } from "../../../tools/connectors/contract.ts";
import { fail, ok } from "../../../kernel/result.ts";
import { roundToFourDigits } from "../rounding.ts";
import { collectProblems, parseWholeNumber } from "../parameters.ts";
import { detectLanguage } from "./language.ts";
import { parseReadableText, segmentWords } from "./segmentation.ts";

const LIMIT_LIMITS = [1, 50] as const;
const LIMIT_DEFAULT = 10;
/** Ranking more words would take over a second and change little. */
const CONTENT_WORDS_MAX = 50_000;

/**
 * `{text, limit?}` → `{keywords: [{term, count, score}], words, language, method, notes}`, best keywords first. `words`
 * is the number of words; `language` is a BCP 47 tag, or "und" if the language is unclear.
 */
export const extractKeywords: CapabilityHandler = async (parameters) => {
  const text = parseReadableText(parameters["text"]);
  const limit = parseWholeNumber("limit", parameters, LIMIT_LIMITS, LIMIT_DEFAULT);
  if (!text.ok || !limit.ok) return fail(collectProblems([text, limit]));
  const words = Array.from(segmentWords(text.value));
  const language = detectLanguage(words);
  const content = selectContentWords(words, language);
  const ranked = rankKeywords(content.slice(0, CONTENT_WORDS_MAX)).slice(0, limit.value);
  return ok({
    keywords: ranked.map(({ term, count, score }) => ({
      term,
      count,
      score: roundToFourDigits(score),
    })),
    words: words.length,
    language: language.code,
    method: "TextRank",
    notes: buildKeywordNotes(language.code, content.length),
  });
};

function buildKeywordNotes(language: string, contentWords: number): string[] {
  const notes: string[] = [];
  if (language === "und") {
    notes.push("The language could not be detected, so English stop words and stems were used.");
  } else if (language !== "en") {
    notes.push("Inflections are counted together only in English.");
  }
  if (contentWords > CONTENT_WORDS_MAX) {
    const most = CONTENT_WORDS_MAX.toLocaleString("en-US");
    notes.push(
      `Only the first ${most} of ${contentWords.toLocaleString("en-US")} content words were ranked.`,
    );
  }
  return notes;
}

/** A pair of words that appears only once is probably a coincidence. */
const PHRASE_COUNT_MIN = 2;

/** A word or a pair of words, identified by stems. `forms` counts its spellings, except at the start of a sentence. */
interface KeywordTerm {
  readonly stems: readonly string[];
  readonly forms: Map<string, number>;
  count: number;
}

/**
 * Ranks words and two-word phrases by TextRank, best first. A phrase receives a share of its words' ranks in
 * proportion to its occurrences.
 */
function rankKeywords(words: readonly ContentWord[]) {
  const singles = new Map<string, KeywordTerm>();
  const pairs = new Map<string, KeywordTerm>();
  words.forEach((word, index) => {
    const before = words[index - 1];
    countTerm(singles, [word.stem], word.surface, word.opensSentence);
    if (before === undefined || !word.isAdjacent || before.stem === word.stem) return;
    const form = `${before.surface}${word.separator.replace(/\s+/, " ")}${word.surface}`;
    countTerm(pairs, [before.stem, word.stem], form, before.opensSentence);
  });
  const phrases = [...pairs.values()].filter((pair) => pair.count >= PHRASE_COUNT_MIN);
  const score = createTermScorer(words, singles);
  return [...removePhraseParts(singles, phrases), ...phrases]
    .map((term) => ({ term: mostFrequentForm(term), count: term.count, score: score(term) }))
    .toSorted((one, other) => other.score - one.score || other.count - one.count);
}

function countTerm(
  terms: Map<string, KeywordTerm>,
  stems: string[],
  form: string,
  opens: boolean,
): void {
  const key = stems.join(" ");
  const term = terms.get(key) ?? { stems, forms: new Map<string, number>(), count: 0 };
  terms.set(key, term);
  term.count += 1;
  // Do not count the spelling of a sentence's first word, because that word is usually capitalised.
  term.forms.set(form, (term.forms.get(form) ?? 0) + (opens ? 0 : 1));
}

function createTermScorer(
  words: readonly ContentWord[],
  singles: ReadonlyMap<string, KeywordTerm>,
): (term: KeywordTerm) => number {
  const nodes = new Map([...singles.keys()].map((stem, node) => [stem, node]));
  const ranks = computePageRank(linkNeighbouringWords(words, nodes));
  const rankOf = (stem: string) => ranks[nodes.get(stem) ?? -1] ?? 0;
  return ({ stems, count }) =>
    stems
      .map((stem) => (rankOf(stem) * count) / (singles.get(stem)?.count ?? count))
      .reduce((sum, share) => sum + share);
}

/** The single words, without those that appear only as part of one phrase. */
function removePhraseParts(
  singles: ReadonlyMap<string, KeywordTerm>,
  phrases: readonly KeywordTerm[],
): KeywordTerm[] {
  const most = new Map<string, number>();
  for (const { stems, count } of phrases) {
    for (const stem of stems) most.set(stem, Math.max(most.get(stem) ?? 0, count));
  }
  return [...singles].flatMap(([stem, term]) => (most.get(stem) === term.count ? [] : [term]));
}

function mostFrequentForm({ forms }: KeywordTerm): string {
  const [first] = [...forms].toSorted(([, one], [, other]) => other - one);
  return first?.[0] ?? "";
}

/** The maximum distance between two linked words in a sentence, in content words. */
const LINK_WINDOW_WORDS = 2;

/** Links the words within each sentence. A link's weight is the number of times it appears. */
function linkNeighbouringWords(
  words: readonly ContentWord[],
  nodes: ReadonlyMap<string, number>,
): ReturnType<typeof createWordGraph> {
  const graph = createWordGraph(nodes.size);
  let opening = 0;
  words.forEach((word, index) => {
    if (word.opensSentence) opening = index;
    const to = nodes.get(word.stem) ?? 0;
    for (let other = Math.max(opening, index - LINK_WINDOW_WORDS); other < index; other++) {
      const from = nodes.get(words[other]?.stem ?? "") ?? 0;
      if (from === to) continue;
      graph.updateEdge(from, to, ({ weight = 0 }) => ({ weight: weight + 1 }));
    }
  });
  return graph;
}
