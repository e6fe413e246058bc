import { syllable } from "syllable";

/** The Flesch reading ease (Flesch, 1948): 100 is very easy, 0 very difficult. */
export function computeReadingEase(words: number, sentences: number, syllables: number): number {
  return 206.835 - 1.015 * (words / sentences) - 84.6 * (syllables / words);
}

const CACHED_WORDS_MAX = 2_000;
/** Longer words are not cached, because V8 stores them as slices that keep the whole text in memory. */
const CACHED_WORD_CHARACTERS_MAX = 12;
const syllablesByWord = new Map<string, number>();

/** The number of syllables in a word, at least 1. Cached because words recur and counting is slow. */
export function countSyllables(word: string): number {
  const known = syllablesByWord.get(word);
  if (known !== undefined) return known;
  const count = Math.max(1, syllable(word));
  if (syllablesByWord.size >= CACHED_WORDS_MAX) syllablesByWord.clear();
  if (word.length <= CACHED_WORD_CHARACTERS_MAX) syllablesByWord.set(word, count);
  return count;
}
