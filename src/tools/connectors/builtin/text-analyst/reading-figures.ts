import { automatedReadability } from "automated-readability";
import { colemanLiau } from "coleman-liau";
import { flesch } from "flesch";
import { fleschKincaid } from "flesch-kincaid";
import { gunningFog } from "gunning-fog";
import { smogFormula } from "smog-formula";
import { toFourDigits } from "../figures.ts";
import type { ReadingCounts } from "./reading-counts.ts";

/** The least Flesch reading ease of each level, after Flesch (1948). */
const LEVELS: readonly (readonly [ease: number, level: string])[] = [
  [90, "very easy"],
  [80, "easy"],
  [70, "fairly easy"],
  [60, "standard"],
  [50, "fairly difficult"],
  [30, "difficult"],
];

/** What stands in for figures that cannot be computed. */
export const NO_FIGURES = {
  fleschReadingEase: null,
  fleschKincaidGrade: null,
  gunningFog: null,
  smog: null,
  colemanLiau: null,
  automatedReadability: null,
  level: null,
};

/** The formulas' figures, all but the first as school grades of the United States. */
export function figuresOf(counts: ReadingCounts): Record<keyof typeof NO_FIGURES, number | string> {
  const { words: word, sentences: sentence, syllables } = counts;
  const { letters: letter, characters: character } = counts;
  const ease = flesch({ sentence, word, syllable: syllables });
  return {
    fleschReadingEase: toFourDigits(ease),
    fleschKincaidGrade: toFourDigits(fleschKincaid({ sentence, word, syllable: syllables })),
    gunningFog: toFourDigits(
      gunningFog({ sentence, word, complexPolysillabicWord: counts.complexWords }),
    ),
    smog: toFourDigits(smogFormula({ sentence, polysillabicWord: counts.polysyllables })),
    colemanLiau: toFourDigits(colemanLiau({ sentence, word, letter })),
    automatedReadability: toFourDigits(automatedReadability({ sentence, word, character })),
    level: LEVELS.find(([least]) => ease >= least)?.[1] ?? "very difficult",
  };
}
