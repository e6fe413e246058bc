import type { ContentWord } from "./content-words.ts";
import type { Edge } from "./page-rank.ts";

/** How many content words apart two words of a sentence may stand and still be linked. */
const WINDOW = 2;

/** The links between the words of each sentence, each weighted by how often it occurs. */
export function linksOf(
  words: readonly ContentWord[],
  nodes: ReadonlyMap<string, number>,
): Iterable<Edge> {
  const edges = new Map<number, { from: number; to: number; weight: number }>();
  let opening = 0;
  words.forEach((word, index) => {
    if (word.opensSentence) opening = index;
    const to = nodes.get(word.stem) ?? 0;
    for (let other = Math.max(opening, index - WINDOW); other < index; other++) {
      const from = nodes.get(words[other]?.stem ?? "") ?? 0;
      if (from === to) continue;
      const [low, high] = from < to ? [from, to] : [to, from];
      const key = low * nodes.size + high;
      const edge = edges.get(key) ?? { from: low, to: high, weight: 0 };
      edge.weight += 1;
      edges.set(key, edge);
    }
  });
  return edges.values();
}
