import papaparse from "papaparse";

const DELIMITERS = [",", "\t", ";", "|"];
const CELL_ENDS = new Set([...DELIMITERS, "\n", ""]);
const SAMPLE_RECORDS = 10;
const SAMPLE_LINES = 2 * SAMPLE_RECORDS;

/**
 * The delimiter that splits the header and keeps the widths of the first records most even; the
 * one giving more fields on a tie; a comma when none splits the header. Delimiters within quoted
 * cells do not count. papaparse's own detection misses the right one in a two-column text with a
 * short row. Line breaks must be \n.
 */
export function likelyDelimiter(text: string): string {
  const sample = withoutQuotedContent(text).split("\n", SAMPLE_LINES).join("\n");
  let best = { delimiter: ",", unevenness: Infinity, fields: 1 };
  for (const delimiter of DELIMITERS) {
    const { data } = papaparse.parse<string[]>(sample, {
      newline: "\n",
      delimiter,
      preview: SAMPLE_LINES,
    });
    const widths = data
      .filter((cells) => cells.length > 1 || cells[0]?.trim())
      .slice(0, SAMPLE_RECORDS)
      .map((cells) => cells.length);
    const fields = widths[0] ?? 1;
    if (fields < 2) continue;
    const unevenness = widths.reduce((sum, width) => sum + Math.abs(width - fields), 0);
    const better =
      unevenness < best.unevenness || (unevenness === best.unevenness && fields > best.fields);
    if (better) best = { delimiter, unevenness, fields };
  }
  return best.delimiter;
}

/**
 * The text with each quoted cell replaced by a letter. A cell is quoted if quotes begin and end it under any
 * of the delimiters, because the right one is not yet known. Takes linear time.
 */
function withoutQuotedContent(text: string): string {
  const kept: string[] = [];
  let from = 0;
  for (let open = text.indexOf('"'); open !== -1;) {
    const close = CELL_ENDS.has(text.charAt(open - 1)) ? closingQuote(text, open + 1) : open;
    if (close === -1) break;
    if (close > open && CELL_ENDS.has(text.charAt(close + 1))) {
      kept.push(text.slice(from, open), "q");
      from = close + 1;
    }
    open = text.indexOf('"', close + 1);
  }
  kept.push(text.slice(from));
  return kept.join("");
}

/** The index of the next quote that is not doubled; -1 if there is none. */
function closingQuote(text: string, from: number): number {
  let at = text.indexOf('"', from);
  while (at !== -1 && text.charAt(at + 1) === '"') at = text.indexOf('"', at + 2);
  return at;
}
