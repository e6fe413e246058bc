import {
  dan,
  deu,
  eng,
  fin,
  fra,
  ita,
  jpn,
  nld,
  nob,
  pol,
  por,
  rus,
  spa,
  swe,
  tur,
  zho,
} from "stopword";
import type { TextWord } from "./segmentation.ts";

/** `code`: the BCP 47 tag, "und" if the language is unclear. */
export interface DetectedLanguage {
  readonly code: string;
  readonly stopWords: ReadonlySet<string>;
}

const STOP_WORDS: Readonly<Record<string, readonly string[]>> = {
  en: eng,
  de: deu,
  fr: fra,
  es: spa,
  it: ita,
  pt: por,
  nl: nld,
  sv: swe,
  da: dan,
  nb: nob,
  fi: fin,
  pl: pol,
  ru: rus,
  tr: tur,
  ja: jpn,
  zh: zho,
};

/** Function words that are missing in the English list of the library. */
const EXTRA_ENGLISH_STOP_WORDS =
  "again does doing done down either few however its itself just let may neither no nor not off once one onto per say says shall so than themselves though three two until upon us when whether why will within without yet".split(
    " ",
  );

/** Fewer hits than this are chance. */
const STOP_WORD_HITS_MIN = 2;
const STOP_WORD_SHARE_MIN = 0.1;

/** The language whose stop words make up the largest share of `words`; English lists for "und". */
export function detectLanguage(words: readonly TextWord[]): DetectedLanguage {
  const scored = Object.entries(STOP_WORDS).map(([code, list]) => {
    const stopWords = new Set(code === "en" ? [...list, ...EXTRA_ENGLISH_STOP_WORDS] : list);
    const hits = words.filter(({ normalized }) => stopWords.has(normalized)).length;
    return { code, stopWords, hits };
  });
  const english = scored[0];
  if (english === undefined) throw new Error("English comes first");
  const best = scored.reduce((most, next) => (next.hits > most.hits ? next : most), english);
  const sure = best.hits >= STOP_WORD_HITS_MIN && best.hits >= STOP_WORD_SHARE_MIN * words.length;
  return sure ? best : { code: "und", stopWords: english.stopWords };
}
