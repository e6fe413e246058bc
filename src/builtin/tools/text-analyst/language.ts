import * as lists from "stopword";
import type { TextWord } from "./segmentation.ts";

/** `code` is a BCP 47 tag, or "und" if the language is unclear. */
export interface DetectedLanguage {
  readonly code: string;
  readonly stopWords: ReadonlySet<string>;
}

/** Function words missing from the library's English list. */
const EXTRA_ENGLISH_STOP_WORDS =
  "again does doing done down either few however its itself just let may neither no nor not off once one onto per say says shall so than themselves though three two until upon us when whether why will within without yet".split(
    " ",
  );

const STOP_WORDS = {
  en: [...lists.eng, ...EXTRA_ENGLISH_STOP_WORDS],
  de: lists.deu,
  fr: lists.fra,
  es: lists.spa,
  it: lists.ita,
  pt: lists.por,
  nl: lists.nld,
  sv: lists.swe,
  da: lists.dan,
  nb: lists.nob,
  fi: lists.fin,
  pl: lists.pol,
  ru: lists.rus,
  tr: lists.tur,
  ja: lists.jpn,
  zh: lists.zho,
};

/** Fewer hits are probably coincidental. */
const STOP_WORD_HITS_MIN = 2;
const STOP_WORD_SHARE_MIN = 0.1;

/** Detects the language whose stop words make up the largest share of `words`. Returns English stop words for "und". */
export function detectLanguage(words: readonly TextWord[]): DetectedLanguage {
  const scored = Object.entries(STOP_WORDS).map(([code, list]) => {
    const stopWords = new Set(list);
    const hits = words.filter(({ normalized }) => stopWords.has(normalized)).length;
    return { code, stopWords, hits };
  });
  const best = scored.reduce((most, next) => (next.hits > most.hits ? next : most));
  const sure = best.hits >= STOP_WORD_HITS_MIN && best.hits >= STOP_WORD_SHARE_MIN * words.length;
  return sure ? best : { code: "und", stopWords: new Set(STOP_WORDS.en) };
}
