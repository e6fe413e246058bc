import { pageRank, type Edge } from "./page-rank.ts";

/**
 * The TextRank of each sentence, given as its stems without repeats: sentences that share words
 * vote for each other, by the words they share over the logarithms of their lengths.
 */
export function rankSentences(sentences: readonly ReadonlySet<string>[]): number[] {
  const edges: Edge[] = [];
  sentences.forEach((sentence, from) => {
    for (let to = from + 1; to < sentences.length; to++) {
      const weight = similarity(sentence, sentences[to] ?? new Set());
      if (weight > 0) edges.push({ from, to, weight });
    }
  });
  return pageRank(sentences.length, edges);
}

function similarity(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  const lengths = Math.log(one.size) + Math.log(other.size);
  // Two sentences of one word each have no length to divide by; an empty one shares nothing.
  return lengths > 0 ? one.intersection(other).size / lengths : 0;
}
