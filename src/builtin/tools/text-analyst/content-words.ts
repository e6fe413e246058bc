import { stemmer } from "stemmer";
import type { DetectedLanguage } from "./language.ts";
import type { TextWord } from "./segmentation.ts";

/** A word that carries meaning. Its inflections share the same `stem`. */
export interface ContentWord extends TextWord {
  readonly stem: string;
  /** Whether only a space, a hyphen or a line break separates it from the preceding content word. */
  readonly isAdjacent: boolean;
}

const LETTER = /\p{L}/u;
/** Separators allowed within a phrase. */
const PHRASE_SEPARATOR = /^(?:[ -]|\r?\n)?$/;
/** Scripts in which a single character can be a word. */
const IDEOGRAPH = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u;

/**
 * Selects words that are not stop words, numbers, contractions or single letters. Words are stemmed (Porter) if the
 * language is English or unclear.
 */
export function selectContentWords(
  words: readonly TextWord[],
  language: DetectedLanguage,
): ContentWord[] {
  const english = language.code === "en" || language.code === "und";
  const stems = new Map<string, string>();
  const content: ContentWord[] = [];
  let unbroken = false;
  for (const word of words) {
    if (!isContentWord(word, language)) {
      unbroken = false;
      continue;
    }
    const stem =
      stems.get(word.normalized) ?? (english ? stemmer(word.normalized) : word.normalized);
    stems.set(word.normalized, stem);
    content.push({ ...word, stem, isAdjacent: unbroken && PHRASE_SEPARATOR.test(word.separator) });
    unbroken = true;
  }
  return content;
}

function isContentWord({ normalized }: TextWord, { stopWords }: DetectedLanguage): boolean {
  if (stopWords.has(normalized) || normalized.includes("'") || !LETTER.test(normalized))
    return false;
  return normalized.length > 1 || IDEOGRAPH.test(normalized);
}
