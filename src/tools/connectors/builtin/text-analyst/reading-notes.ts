import type { ReadingCounts } from "./reading-counts.ts";

/** McLaughlin made SMOG for thirty sentences; a hundred words is Flesch's sample. */
const SMOG_SENTENCES_MIN = 30;
const SAMPLE_WORDS_MIN = 100;

/** What a reader of the figures should know. */
export function notesOn({ latin, language, words, sentences }: ReadingCounts): string[] {
  if (!latin) {
    return ["Most letters are not Latin: the formulas and the reading time do not apply."];
  }
  const notes: string[] = [];
  if (language !== "en" && language !== "und") {
    notes.push(`The formulas were made for English; the text looks like "${language}".`);
  }
  if (words < SAMPLE_WORDS_MIN) {
    notes.push(`Below ${SAMPLE_WORDS_MIN} words the figures are rough; the text has ${words}.`);
  }
  if (sentences < SMOG_SENTENCES_MIN) {
    notes.push(
      `SMOG is meant for ${SMOG_SENTENCES_MIN} sentences or more; the text has ${sentences}.`,
    );
  }
  return notes;
}
