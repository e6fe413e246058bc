import { stemmer } from "stemmer";
import type { Language } from "./languages.ts";
import type { Word } from "./words.ts";

/** A word that carries meaning; inflections of one word share its `stem`. */
export interface ContentWord extends Word {
  readonly stem: string;
  /** Nothing but a space or a hyphen lies between this and the content word before it. */
  readonly follows: boolean;
}

const LETTER = /\p{L}/u;
/** What may lie between the words of a phrase. */
const JOINT = /^(?:[ -]|\r?\n)?$/;
/** Scripts in which a single character is a word. */
const IDEOGRAPH = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u;

/**
 * The words that are neither stop words nor numbers, contractions or single letters. Only English
 * inflections are folded (Porter's stemmer); other languages fold by case alone.
 */
export function contentWordsOf(words: readonly Word[], language: Language): ContentWord[] {
  const english = language.code === "en" || language.code === "und";
  const stems = new Map<string, string>();
  const content: ContentWord[] = [];
  let unbroken = false;
  for (const word of words) {
    if (!carriesMeaning(word, language)) {
      unbroken = false;
      continue;
    }
    const stem = stems.get(word.folded) ?? (english ? stemmer(word.folded) : word.folded);
    stems.set(word.folded, stem);
    content.push({ ...word, stem, follows: unbroken && JOINT.test(word.separator) });
    unbroken = true;
  }
  return content;
}

function carriesMeaning({ folded }: Word, { stopWords }: Language): boolean {
  if (stopWords.has(folded) || folded.includes("'") || !LETTER.test(folded)) return false;
  return folded.length > 1 || IDEOGRAPH.test(folded);
}
