/** A word of a text: as it is written without a possessive ending, and folded for comparison. */
export interface Word {
  readonly surface: string;
  readonly folded: string;
  /** What lies between this word and the one before it. */
  readonly separator: string;
  /** The end of a sentence lies between this word and the one before it. */
  readonly opensSentence: boolean;
}

const segmenter = new Intl.Segmenter("en", { granularity: "word" });

/** Longer runs of letters are codes; some word rules take quadratic time on them. */
const WORD_CHARACTERS_MAX = 60;
const SEPARATOR_CHARACTERS_MAX = 20;
const SENTENCE_END = /[.!?…。！？]|\n\s*\n/;
const POSSESSIVE = /['’]s?$/;

/** The words of `text` in order, as Unicode (UAX 29) finds them in any script. */
export function* wordsOf(text: string): Generator<Word, void> {
  let separator = "";
  let first = true;
  for (const { segment, isWordLike } of segmenter.segment(text)) {
    if (isWordLike !== true || segment.length > WORD_CHARACTERS_MAX) {
      if (separator.length < SEPARATOR_CHARACTERS_MAX) separator += segment;
      continue;
    }
    const surface = segment.replace(POSSESSIVE, "");
    const opensSentence = first || SENTENCE_END.test(separator);
    yield { surface, folded: fold(surface), separator, opensSentence };
    separator = "";
    first = false;
  }
}

function fold(surface: string): string {
  return surface.toLowerCase().replaceAll("’", "'");
}
