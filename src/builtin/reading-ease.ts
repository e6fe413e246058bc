import { syllable } from "syllable";

/** The Flesch reading ease (Flesch, 1948): 100 is very easy, 0 very difficult. */
export function computeReadingEase({
  words,
  sentences,
  syllables,
}: Readonly<Record<"words" | "sentences" | "syllables", number>>): number {
  return 206.835 - 1.015 * (words / sentences) - 84.6 * (syllables / words);
}

/** The number of syllables of a word, at least 1. */
export function countSyllables(word: string): number {
  return Math.max(1, syllable(word));
}
