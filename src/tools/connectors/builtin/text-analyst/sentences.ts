const segmenter = new Intl.Segmenter("en", { granularity: "sentence" });

/** Ends that ICU takes for the end of a sentence: titles, Latin shorthand and the initials of names. */
const ABBREVIATION =
  /(?:^|[\s(])(?:Mr|Mrs|Ms|Dr|Prof|Sr|Jr|St|Fig|vs|cf|approx|e\.g|i\.e|[A-Z])\.\s?$/;
const ABBREVIATION_CHARACTERS_MAX = 10;
/** Lines that begin a list item, a heading, a quotation or a row of a table. */
const MARKED_LINE = /^\s*(?:[-*•+>|]\s|#{1,6}\s|\d{1,3}[.)]\s)/;
const HEADING = /^\s*#{1,6}\s/;
const SENTENCE_TERMINAL = /\p{Sentence_Terminal}|…/u;
const LETTER_OR_DIGIT = /[\p{L}\p{N}]/u;

/** The sentences of `text` in order, without list and heading marks; lines that wrap are joined. */
export function sentencesOf(text: string): string[] {
  return blocksOf(text)
    .flatMap(splitBlock)
    .map((sentence) => sentence.replace(MARKED_LINE, "").trim())
    .filter((sentence) => LETTER_OR_DIGIT.test(sentence));
}

/** Paragraphs, list items and headings, each on one line. */
function blocksOf(text: string): string[] {
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

function splitBlock(block: string): string[] {
  // Most short lines have no end of a sentence in them, and segmenting is the slow part.
  if (!SENTENCE_TERMINAL.test(block)) return [block];
  const segments = Array.from(segmenter.segment(block), ({ segment }) => segment);
  const sentences: string[] = [];
  let begun = "";
  for (const segment of segments) {
    begun += segment;
    if (ABBREVIATION.test(segment.slice(-ABBREVIATION_CHARACTERS_MAX))) continue;
    sentences.push(begun);
    begun = "";
  }
  return begun === "" ? sentences : [...sentences, begun];
}
