import type { ContentWord } from "./content-words.ts";
import { linksOf } from "./links.ts";
import { pageRank } from "./page-rank.ts";

export interface Keyword {
  readonly term: string;
  readonly count: number;
  readonly score: number;
}

/** A pair of words seen once is chance. */
const PHRASE_COUNT_MIN = 2;

/** A word or a pair of words, by stems; `forms` counts how it is written inside sentences. */
interface Term {
  readonly stems: readonly string[];
  readonly forms: Map<string, number>;
  count: number;
}

/**
 * Words and two-word phrases by TextRank, best first: words that stand near each other vote for
 * each other. A phrase scores the share of its words' ranks that their places inside it carry.
 */
export function rankKeywords(words: readonly ContentWord[]): Keyword[] {
  const singles = new Map<string, Term>();
  const pairs = new Map<string, Term>();
  words.forEach((word, index) => {
    const before = words[index - 1];
    count(singles, [word.stem], word.surface, word.opensSentence);
    if (before === undefined || !word.follows || before.stem === word.stem) return;
    const form = `${before.surface}${word.separator.replace(/\s+/, " ")}${word.surface}`;
    count(pairs, [before.stem, word.stem], form, before.opensSentence);
  });
  const phrases = [...pairs.values()].filter((pair) => pair.count >= PHRASE_COUNT_MIN);
  const score = scorer(words, singles);
  return [...withoutParts(singles, phrases), ...phrases]
    .map((term) => ({ term: mainForm(term), count: term.count, score: score(term) }))
    .toSorted((one, other) => other.score - one.score || other.count - one.count);
}

function count(terms: Map<string, Term>, stems: string[], form: string, opens: boolean): void {
  const key = stems.join(" ");
  const term = terms.get(key) ?? { stems, forms: new Map<string, number>(), count: 0 };
  terms.set(key, term);
  term.count += 1;
  // The capital of a word that opens a sentence says nothing about how it is written.
  term.forms.set(form, (term.forms.get(form) ?? 0) + (opens ? 0 : 1));
}

function scorer(
  words: readonly ContentWord[],
  singles: ReadonlyMap<string, Term>,
): (term: Term) => number {
  const nodes = new Map([...singles.keys()].map((stem, node) => [stem, node]));
  const ranks = pageRank(nodes.size, linksOf(words, nodes));
  return ({ stems, count: places }) =>
    stems
      .map((stem) => {
        const rank = ranks[nodes.get(stem) ?? -1] ?? 0;
        return (rank * places) / (singles.get(stem)?.count ?? places);
      })
      .reduce((sum, share) => sum + share);
}

/** The single words that also stand outside of every phrase. */
function withoutParts(singles: ReadonlyMap<string, Term>, phrases: readonly Term[]): Term[] {
  const most = new Map<string, number>();
  for (const { stems, count: places } of phrases) {
    for (const stem of stems) most.set(stem, Math.max(most.get(stem) ?? 0, places));
  }
  return [...singles].flatMap(([stem, term]) => (most.get(stem) === term.count ? [] : [term]));
}

function mainForm({ forms }: Term): string {
  const [first = ["", 0], ...others] = forms;
  return others.reduce<readonly [string, number]>(
    (main, next) => (next[1] > main[1] ? next : main),
    first,
  )[0];
}
