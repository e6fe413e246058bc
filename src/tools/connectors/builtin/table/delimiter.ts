import papaparse from "papaparse";

const DELIMITERS = [",", "\t", ";", "|"];
const SAMPLE_RECORDS = 10;

/**
 * The delimiter that splits the header and keeps the widths of the first records most even; the
 * one giving more fields on a tie; a comma when none splits the header. papaparse's own guess
 * passes over the right one in a two-column text with a short row. Line breaks must be \n.
 */
export function likelyDelimiter(text: string): string {
  let best = { delimiter: ",", unevenness: Infinity, fields: 1 };
  for (const delimiter of DELIMITERS) {
    const { data } = papaparse.parse<string[]>(text, {
      newline: "\n",
      delimiter,
      preview: 2 * SAMPLE_RECORDS,
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
