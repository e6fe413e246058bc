import { contentWordsOf } from "./content-words.ts";
import { languageOf } from "./languages.ts";
import { wordsOf } from "./words.ts";

/** The stems of each sentence's content words, in the language of the whole. */
export function stemsOf(sentences: readonly string[]): ReadonlySet<string>[] {
  const words = sentences.map((sentence) => Array.from(wordsOf(sentence)));
  const language = languageOf(words.flat());
  return words.map(
    (sentence) => new Set(contentWordsOf(sentence, language).map(({ stem }) => stem)),
  );
}
