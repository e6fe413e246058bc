import { syllable } from "syllable";
import { languageOf } from "./languages.ts";
import { sentencesOf } from "./sentences.ts";
import { wordsOf, type Word } from "./words.ts";

/** What the readability formulas count; `latin` when most letters are, which they presume. */
export interface ReadingCounts {
  readonly language: string;
  readonly latin: boolean;
  readonly words: number;
  readonly sentences: number;
  readonly syllables: number;
  /** Words of three or more syllables. */
  readonly polysyllables: number;
  /** Polysyllables as Gunning counts them: no names, and no -es, -ed or -ing as third syllable. */
  readonly complexWords: number;
  readonly letters: number;
  /** Letters and digits. */
  readonly characters: number;
}

const LETTERS = /\p{L}/gu;
const LATIN_LETTERS = /\p{Script=Latin}/gu;
const CHARACTERS = /[\p{L}\p{N}]/gu;
const CAPITAL = /^\p{Lu}/u;
const SUFFIX = /(?:es|ed|ing)$/;
const POLYSYLLABLE_MIN = 3;

export function countsOf(text: string): ReadingCounts {
  const sentences = sentencesOf(text);
  // Segmenting them all at once is several times faster than one by one.
  const words = Array.from(wordsOf(sentences.join("\n\n")));
  const letters = sum(words, ({ surface }) => matches(surface, LETTERS));
  const latinLetters = sum(words, ({ surface }) => matches(surface, LATIN_LETTERS));
  const vocabulary = new Set(words.map(({ folded }) => folded));
  const syllables = new Map(Array.from(vocabulary, (word) => [word, syllablesOf(word)]));
  const isLong = ({ folded }: Word) => (syllables.get(folded) ?? 0) >= POLYSYLLABLE_MIN;
  return {
    language: languageOf(words).code,
    latin: 2 * latinLetters > letters,
    words: words.length,
    sentences: sentences.length,
    syllables: sum(words, ({ folded }) => syllables.get(folded) ?? 0),
    polysyllables: words.filter(isLong).length,
    complexWords: words.filter((word) => isLong(word) && isComplex(word)).length,
    letters,
    characters: sum(words, ({ surface }) => matches(surface, CHARACTERS)),
  };
}

function isComplex({ surface, folded, opensSentence }: Word): boolean {
  const isName = CAPITAL.test(surface) && !opensSentence;
  return !isName && syllablesOf(folded.replace(SUFFIX, "")) >= POLYSYLLABLE_MIN;
}

/** A number or a sign is read as one syllable at least. */
function syllablesOf(word: string): number {
  return Math.max(1, syllable(word));
}

function matches(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0;
}

function sum(words: readonly Word[], amount: (word: Word) => number): number {
  return words.reduce((total, word) => total + amount(word), 0);
}
