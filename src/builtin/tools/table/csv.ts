import papaparse from "papaparse";
import { type Problem, fail, ok, type Result } from "../../../kernel/result.ts";
import { checkTableSize, formatExamples, type RawTable, toUniqueColumnNames } from "./raw-table.ts";

/** A CSV record: its cells as written, and the line on which it starts, counted from 1. */
interface CsvRecord {
  readonly line: number;
  readonly cells: readonly string[];
}

// oxlint-disable-next-line no-control-regex -- control characters identify binary data
const CONTROL_CHARACTERS = /[\u0000-\u0008\u000e-\u001a\u001c-\u001f]/;

// For every stray quote, papaparse reads the spaces before a separator five times.
const QUOTES_BY_SPACES_MAX = 50_000_000;

/** Reads CSV with a header line as a table. Blank lines are ignored; notes list rows with too few or too many cells. */
export function readCsvTable(csv: string): Result<RawTable, Problem[]> {
  const parsed = parseCsv(csv, "csv");
  if (!parsed.ok) return fail([parsed.failure]);
  const { records, notes } = parsed.value;
  const [header, ...body] = records;
  if (header === undefined || header.cells.every((cell) => cell.trim() === "")) {
    return fail([{ path: "csv", message: "must start with a header line that names the columns" }]);
  }
  const excess = checkTableSize("csv", header.cells.length, body.length);
  if (excess !== null) return fail([excess]);
  const { names, notes: nameNotes } = toUniqueColumnNames(header.cells.map((cell) => cell.trim()));
  const width = names.length;
  const short = body.filter((record) => record.cells.length < width);
  const long = body.filter((record) =>
    record.cells.slice(width).some((cell) => cell.trim() !== ""),
  );
  if (short.length > 0) {
    notes.push(
      `${formatRows(short, "too few cells")}; the absent cells are treated as missing values.`,
    );
  }
  if (long.length > 0) {
    notes.push(`${formatRows(long, "more cells than the header")}; the extra cells were omitted.`);
  }
  if (body.length === 0) notes.push("The header has no rows below it.");
  const rows = body.map((record) => record.cells);
  return ok({ names, rows, notes: [...nameNotes, ...notes] });
}

/**
 * Parses CSV (RFC 4180; comma, tab, semicolon or bar) into records. Blank lines are dropped, and line breaks become
 * \n.
 */
export function parseCsv(
  text: string,
  path: string,
): Result<{ records: CsvRecord[]; delimiter: string; notes: string[] }, Problem> {
  const normal = text.replace(/^\uFEFF/, "").replace(/\r\n?/g, "\n");
  if (CONTROL_CHARACTERS.test(normal))
    return fail({ path, message: "must not contain control characters" });
  if (estimateStrayQuoteWork(normal) > QUOTES_BY_SPACES_MAX) {
    return fail({ path, message: "must have fewer quotes or shorter runs of spaces" });
  }
  const delimiter = detectDelimiter(normal);
  const { data, errors } = papaparse.parse<string[]>(normal, { newline: "\n", delimiter });
  const records: CsvRecord[] = [];
  const lineOf: number[] = [];
  let line = 1;
  for (const cells of data) {
    lineOf.push(line);
    if (cells.length > 1 || cells[0]?.trim()) records.push({ line, cells });
    line += 1 + cells.reduce((breaks, cell) => breaks + countLineBreaks(cell), 0);
  }
  const unclosed = errors.find((error) => error.code === "MissingQuotes");
  if (unclosed !== undefined) {
    const where = lineOf[unclosed.row ?? 0] ?? 1;
    return fail({
      path,
      message: `must close the quote that opens in the row on line ${where}`,
    });
  }
  const misquoted = errors.filter(({ code }) => code === "InvalidQuotes");
  const lines = [...new Set(misquoted.map(({ row = 0 }) => lineOf[row] ?? 1))];
  const notes =
    lines.length === 0
      ? []
      : [
          `Unescaped quotes inside quoted cells were kept as text: ${formatExamples("line", lines)}.`,
        ];
  return ok({ records, delimiter, notes });
}

function estimateStrayQuoteWork(text: string): number {
  const quotes = text.split('"').length - 1;
  const runs = text.matchAll(/\s{16,}/g);
  return quotes * runs.reduce((longest, [spaces]) => Math.max(longest, spaces.length), 0);
}

function countLineBreaks(cell: string): number {
  let breaks = 0;
  for (let at = cell.indexOf("\n"); at !== -1; at = cell.indexOf("\n", at + 1)) breaks += 1;
  return breaks;
}

/** For example, "1 row has too few cells (line 3)". */
function formatRows(records: readonly CsvRecord[], problem: string): string {
  const lines = records.map(({ line }) => line);
  const rows = records.length === 1 ? "row has" : "rows have";
  return `${records.length} ${rows} ${problem} (${formatExamples("line", lines)})`;
}

const DELIMITERS = [",", "\t", ";", "|"];
const CELL_ENDS = new Set([...DELIMITERS, "\n", ""]);
const SAMPLE_RECORDS = 10;
const SAMPLE_LINES = 2 * SAMPLE_RECORDS;

/**
 * Finds the delimiter that splits the first records most evenly. papaparse guesses wrong if there are two columns and
 * a short row.
 */
export function detectDelimiter(text: string): string {
  const sample = replaceQuotedCells(text).split("\n", SAMPLE_LINES).join("\n");
  const candidates = DELIMITERS.map((delimiter) => {
    const options = { newline: "\n", delimiter, preview: SAMPLE_LINES } as const;
    const [fields = 1, ...widths] = papaparse
      .parse<string[]>(sample, options)
      .data.filter((cells) => cells.length > 1 || cells[0]?.trim())
      .slice(0, SAMPLE_RECORDS)
      .map((cells) => cells.length);
    const unevenness = widths.reduce((sum, width) => sum + Math.abs(width - fields), 0);
    return { delimiter, fields, unevenness };
  });
  const [best] = candidates
    .filter(({ fields }) => fields > 1)
    .toSorted((a, b) => a.unevenness - b.unevenness || b.fields - a.fields);
  return best?.delimiter ?? ",";
}

/**
 * Replaces quoted cells with a letter, in linear time. The delimiter is still unknown, so any delimiter can enclose
 * them.
 */
function replaceQuotedCells(text: string): string {
  const kept: string[] = [];
  let from = 0;
  for (let open = text.indexOf('"'); open !== -1;) {
    const close = CELL_ENDS.has(text.charAt(open - 1)) ? findClosingQuote(text, open + 1) : open;
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

/** The index of the next quote that is not doubled, or -1. */
function findClosingQuote(text: string, from: number): number {
  let at = text.indexOf('"', from);
  while (at !== -1 && text.charAt(at + 1) === '"') at = text.indexOf('"', at + 2);
  return at;
}
