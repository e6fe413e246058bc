import type { Json } from "../../../kernel/json.ts";
import { preview, type Problem, fail, ok, type Result } from "../../../kernel/result.ts";

/**
 * A word in a text. `surface` is the word as written, without a possessive ending; `normalized` is its form for
 * comparison.
 */
export interface TextWord {
  readonly surface: string;
  readonly normalized: string;
  /** The text between this word and the one before it. */
  readonly separator: string;
  /** Whether it is the first word of a sentence. */
  readonly opensSentence: boolean;
}

const wordSegmenter = new Intl.Segmenter("en", { granularity: "word" });

/** Longer runs of letters are usually codes, and some word rules take quadratic time on them. */
const WORD_CHARACTERS_MAX = 60;
const SEPARATOR_CHARACTERS_MAX = 20;
const SENTENCE_END = /[.!?…。！？]|\n\s*\n/;
const POSSESSIVE = /['’]s?$/;

/** The words in `text`, in order, segmented by the Unicode rules (UAX 29) in any script. */
export function* segmentWords(text: string): Generator<TextWord, void> {
  let separator = "";
  let first = true;
  for (const { segment, isWordLike } of wordSegmenter.segment(text)) {
    if (isWordLike !== true || segment.length > WORD_CHARACTERS_MAX) {
      if (separator.length < SEPARATOR_CHARACTERS_MAX) separator += segment;
      continue;
    }
    const surface = segment.replace(POSSESSIVE, "");
    const opensSentence = first || SENTENCE_END.test(separator);
    yield {
      surface,
      normalized: surface.toLowerCase().replaceAll("’", "'"),
      separator,
      opensSentence,
    };
    separator = "";
    first = false;
  }
}

const LETTER = /\p{L}/u;

/** Reads a text that must contain at least one word, and normalises it to NFC. */
export function parseReadableText(value: Json | undefined): Result<string, Problem> {
  const text = typeof value === "string" ? value.normalize("NFC") : "";
  if (segmentWords(text).some(({ normalized }) => LETTER.test(normalized))) return ok(text);
  return fail({ path: "text", message: `must have at least one word, got ${preview(value)}` });
}

const sentenceSegmenter = new Intl.Segmenter("en", { granularity: "sentence" });

/** Abbreviations that ICU treats as the end of a sentence. */
const ABBREVIATION =
  /(?:^|[\s(])(?:Mr|Mrs|Ms|Dr|Prof|Sr|Jr|St|Fig|vs|cf|approx|e\.g|i\.e|[A-Z])\.\s?$/;
const ABBREVIATION_CHARACTERS_MAX = 10;
/** Lines that begin a list item, a heading, a quotation or a table row. */
const MARKED_LINE = /^\s*(?:[-*•+>|]\s|#{1,6}\s|\d{1,3}[.)]\s)/;
const HEADING = /^\s*#{1,6}\s/;
const SENTENCE_TERMINAL = /\p{Sentence_Terminal}|…/u;
const LETTER_OR_DIGIT = /[\p{L}\p{N}]/u;

/** The sentences in `text`, in order, without list and heading marks. Wrapped lines are joined. */
export function segmentSentences(text: string): string[] {
  return splitBlocks(text)
    .flatMap(splitSentences)
    .map((sentence) => sentence.replace(MARKED_LINE, "").trim())
    .filter((sentence) => LETTER_OR_DIGIT.test(sentence));
}

/** Splits a text into paragraphs, list items and headings, each on one line. */
function splitBlocks(text: string): string[] {
  const blocks: string[][] = [[]];
  for (const line of text.split(/\r\n?|\n/)) {
    if (line.trim() === "") {
      blocks.push([]);
    } else if (MARKED_LINE.test(line)) {
      blocks.push([line], ...(HEADING.test(line) ? [[]] : []));
    } else {
      blocks.at(-1)?.push(line);
    }
  }
  return blocks.map((lines) => lines.join(" "));
}

function splitSentences(block: string): string[] {
  // Segmenting is slow, and most short lines do not contain the end of a sentence.
  if (!SENTENCE_TERMINAL.test(block)) return [block];
  const sentences: string[] = [];
  let sentence = "";
  for (const { segment } of sentenceSegmenter.segment(block)) {
    sentence += segment;
    if (ABBREVIATION.test(segment.slice(-ABBREVIATION_CHARACTERS_MAX))) continue;
    sentences.push(sentence);
    sentence = "";
  }
  return sentence === "" ? sentences : [...sentences, sentence];
}
