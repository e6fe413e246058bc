import { computeReadingEase, countSyllables } from "../../reading-ease.ts";
import { roundToFourDigits } from "../rounding.ts";
import { detectLanguage } from "./language.ts";
import {
  parseReadableText,
  segmentSentences,
  segmentWords,
  type TextWord,
} from "./segmentation.ts";
import type { CapabilityHandler } from "../../../tools/connectors/contract.ts";
import { fail, ok } from "../../../kernel/result.ts";
import { formatDuration } from "../../../kernel/text.ts";

/** The average silent reading speed for English non-fiction (Brysbaert, 2019). */
const WORDS_PER_MINUTE = 238;
const SECONDS_PER_MINUTE = 60;
const MS_PER_SECOND = 1_000;

/**
 * `{text}` → `{words, sentences, syllables, fleschReadingEase, fleschKincaidGrade, gunningFog, smog, colemanLiau,
 * automatedReadability, level, readingTime, notes}`. Figures that require Latin letters are null for other scripts.
 */
export const measureReadability: CapabilityHandler = async (parameters) => {
  const text = parseReadableText(parameters["text"]);
  if (!text.ok) return fail([text.failure]);
  const counts = countReadingUnits(text.value);
  const { words, sentences, syllables, isLatin } = counts;
  const formulas = computeFormulas(counts);
  const figures = Object.entries(formulas).map(([name, figure]) => [
    name,
    isLatin ? roundToFourDigits(figure) : null,
  ]);
  return ok({
    words,
    sentences,
    syllables: isLatin ? syllables : null,
    ...Object.fromEntries(figures),
    level: isLatin ? nameLevel(formulas.fleschReadingEase) : null,
    readingTime: isLatin ? formatReadingTime(words) : null,
    notes: buildReadabilityNotes(counts),
  });
};

function formatReadingTime(words: number): string {
  const seconds = Math.ceil((words / WORDS_PER_MINUTE) * SECONDS_PER_MINUTE);
  return formatDuration(seconds * MS_PER_SECOND);
}

/** The counts for the readability formulas, which require Latin letters. */
interface ReadingCounts {
  readonly language: string;
  readonly isLatin: boolean;
  readonly words: number;
  readonly sentences: number;
  readonly syllables: number;
  /** Words of three or more syllables. */
  readonly polysyllables: number;
  /** Polysyllables as Gunning counts them, without names and words whose third syllable is -es, -ed or -ing. */
  readonly complexWords: number;
  readonly letters: number;
  readonly characters: number;
}

const LETTERS = /\p{L}/gu;
const LATIN_LETTERS = /\p{Script=Latin}/gu;
const CHARACTERS = /[\p{L}\p{N}]/gu;
const CAPITAL = /^\p{Lu}/u;
const SUFFIX = /(?:es|ed|ing)$/;
const POLYSYLLABLE_MIN = 3;

function countReadingUnits(text: string): ReadingCounts {
  const sentences = segmentSentences(text);
  // Segmenting all sentences at once is several times faster than segmenting them one by one.
  const words = Array.from(segmentWords(sentences.join("\n\n")));
  const letters = sumOverWords(words, ({ surface }) => countMatches(surface, LETTERS));
  const latinLetters = sumOverWords(words, ({ surface }) => countMatches(surface, LATIN_LETTERS));
  // Counts each distinct word once, because a long text can have more words than the syllable cache can hold.
  const vocabulary = new Set(
    words.flatMap(({ normalized }) => [normalized, dropSuffix(normalized)]),
  );
  const syllables = new Map(Array.from(vocabulary, (word) => [word, countSyllables(word)]));
  const isLong = (word: string) => (syllables.get(word) ?? 0) >= POLYSYLLABLE_MIN;
  const polysyllables = words.filter(({ normalized }) => isLong(normalized));
  return {
    language: detectLanguage(words).code,
    isLatin: 2 * latinLetters > letters,
    words: words.length,
    sentences: sentences.length,
    syllables: sumOverWords(words, ({ normalized }) => syllables.get(normalized) ?? 0),
    polysyllables: polysyllables.length,
    complexWords: polysyllables.filter(
      (word) => !isName(word) && isLong(dropSuffix(word.normalized)),
    ).length,
    letters,
    characters: sumOverWords(words, ({ surface }) => countMatches(surface, CHARACTERS)),
  };
}

function dropSuffix(word: string): string {
  return word.replace(SUFFIX, "");
}

function isName({ surface, opensSentence }: TextWord): boolean {
  return CAPITAL.test(surface) && !opensSentence;
}

function countMatches(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0;
}

function sumOverWords(words: readonly TextWord[], amount: (word: TextWord) => number): number {
  return words.reduce((total, word) => total + amount(word), 0);
}

/** The minimum Flesch reading ease for each level, based on Flesch (1948). */
const READING_EASE_LEVELS: readonly (readonly [ease: number, level: string])[] = [
  [90, "very easy"],
  [80, "easy"],
  [70, "fairly easy"],
  [60, "standard"],
  [50, "fairly difficult"],
  [30, "difficult"],
];

function nameLevel(ease: number): string {
  return READING_EASE_LEVELS.find(([least]) => ease >= least)?.[1] ?? "very difficult";
}

/** Computes the readability formulas. All but the first return US school grades. */
function computeFormulas(counts: ReadingCounts) {
  const { words, sentences, syllables, letters, characters } = counts;
  const wordsPerSentence = words / sentences;
  // Kincaid et al. (1975), Gunning (1952), McLaughlin (1969), Coleman and Liau (1975), Smith and Senter (1967).
  return {
    fleschReadingEase: computeReadingEase(words, sentences, syllables),
    fleschKincaidGrade: 0.39 * wordsPerSentence + 11.8 * (syllables / words) - 15.59,
    gunningFog: 0.4 * (wordsPerSentence + 100 * (counts.complexWords / words)),
    smog: 3.1291 + 1.043 * Math.sqrt(counts.polysyllables * (30 / sentences)),
    colemanLiau: 0.0588 * ((letters / words) * 100) - 0.296 * ((sentences / words) * 100) - 15.8,
    automatedReadability: 4.71 * (characters / words) + 0.5 * wordsPerSentence - 21.43,
  };
}

/** McLaughlin (1969) designed SMOG for thirty sentences; Flesch (1948) used samples of a hundred words. */
const SMOG_SENTENCES_MIN = 30;
const SAMPLE_WORDS_MIN = 100;

function buildReadabilityNotes({ isLatin, language, words, sentences }: ReadingCounts): string[] {
  if (!isLatin) {
    return ["The formulas and the reading time do not apply because most letters are not Latin."];
  }
  const notes: string[] = [];
  if (language !== "en" && language !== "und") {
    notes.push(`The formulas are designed for English; the text appears to be in "${language}".`);
  }
  if (words < SAMPLE_WORDS_MIN) {
    notes.push(
      `The figures are rough for texts under ${SAMPLE_WORDS_MIN} words; this one has ${words}.`,
    );
  }
  if (sentences < SMOG_SENTENCES_MIN) {
    notes.push(
      `SMOG is designed for ${SMOG_SENTENCES_MIN} sentences or more; the text has ${sentences}.`,
    );
  }
  return notes;
}
