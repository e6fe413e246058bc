import papaparse, { type ParseError } from "papaparse";
import type { Problem } from "../../../../domain/problem.ts";
import { fail, ok, type Result } from "../../../../domain/result.ts";
import { likelyDelimiter } from "./delimiter.ts";
import { uniqueNames } from "./names.ts";
import { listed, tooLarge, type Sheet } from "./sheet.ts";

/** A record of a CSV text: its cells as written and the line on which it starts, from 1. */
export interface CsvRecord {
  readonly line: number;
  readonly cells: readonly string[];
}

// oxlint-disable-next-line no-control-regex -- control characters are what tells binary from text
const BINARY = /[\u0000-\u0008\u000e-\u001a\u001c-\u001f]/;

// papaparse re-reads the spaces before a separator for every stray quote, five times over.
const QUOTES_BY_SPACES_MAX = 50_000_000;

/** The sheet of a CSV text with a header line. Blank lines are passed over; raggedness is noted. */
export function readCsv(csv: string): Result<Sheet, Problem[]> {
  const parsed = parseCsv(csv, "csv");
  if (!parsed.ok) return fail([parsed.failure]);
  const { records, notes } = parsed.value;
  const [header, ...body] = records;
  if (header === undefined || header.cells.every((cell) => cell.trim() === "")) {
    return fail([{ path: "csv", message: "must start with a header line that names the columns" }]);
  }
  const excess = tooLarge("csv", header.cells.length, body.length);
  if (excess !== null) return fail([excess]);
  const { names, notes: nameNotes } = uniqueNames(header.cells.map((cell) => cell.trim()));
  const width = names.length;
  const short = body.filter((record) => record.cells.length < width);
  const long = body.filter((record) =>
    record.cells.slice(width).some((cell) => cell.trim() !== ""),
  );
  if (short.length > 0) {
    notes.push(
      `${count(short, "row has", "rows have")} too few cells; the others are missing: ${lines(short)}.`,
    );
  }
  if (long.length > 0) {
    notes.push(
      `${count(long, "row has", "rows have")} more cells than the header; they were left out: ${lines(long)}.`,
    );
  }
  if (body.length === 0) notes.push("The header is not followed by any row.");
  const rows = body.map((record) => record.cells);
  return ok({ names, rows, notes: [...nameNotes, ...notes] });
}

/**
 * The records of a CSV text (RFC 4180; comma, tab, semicolon or bar, whichever fits), without blank
 * lines. Line breaks inside quoted cells become \n. A Problem at `path` when it is no CSV.
 */
export function parseCsv(
  text: string,
  path: string,
): Result<{ records: CsvRecord[]; delimiter: string; notes: string[] }, Problem> {
  const normal = text.replace(/^\uFEFF/, "").replace(/\r\n?/g, "\n");
  if (BINARY.test(normal))
    return fail({ path, message: "must be text, but holds control characters" });
  if (strayQuoteWork(normal) > QUOTES_BY_SPACES_MAX) {
    return fail({ path, message: "must not mix so many quotes with so long a run of spaces" });
  }
  const delimiter = likelyDelimiter(normal);
  const { data, errors } = papaparse.parse<string[]>(normal, { newline: "\n", delimiter });
  const records: CsvRecord[] = [];
  const lineOf: number[] = [];
  let line = 1;
  for (const cells of data) {
    lineOf.push(line);
    if (cells.length > 1 || cells[0]?.trim()) records.push({ line, cells });
    for (const cell of cells) line += breaksIn(cell);
    line += 1;
  }
  const unclosed = errors.find((error) => error.code === "MissingQuotes");
  if (unclosed !== undefined) {
    const where = lineOf[unclosed.row ?? 0] ?? 1;
    return fail({
      path,
      message: `must close the quote of the cell opened in the row of line ${where}`,
    });
  }
  return ok({ records, delimiter, notes: quoteNotes(errors, lineOf) });
}

function quoteNotes(errors: readonly ParseError[], lineOf: readonly number[]): string[] {
  const at = new Set<number>();
  for (const error of errors) {
    if (error.code === "InvalidQuotes") at.add(lineOf[error.row ?? 0] ?? 1);
  }
  return at.size === 0
    ? []
    : [`Quotes inside quoted cells were kept as text: ${listed("line", [...at])}.`];
}

function strayQuoteWork(text: string): number {
  const quotes = text.split('"').length - 1;
  let longest = 0;
  for (const spaces of text.matchAll(/\s{16,}/g)) longest = Math.max(longest, spaces[0].length);
  return quotes * longest;
}

function breaksIn(cell: string): number {
  let breaks = 0;
  for (let at = cell.indexOf("\n"); at !== -1; at = cell.indexOf("\n", at + 1)) breaks += 1;
  return breaks;
}

function lines(records: readonly CsvRecord[]): string {
  return listed(
    "line",
    records.map((record) => record.line),
  );
}

function count(records: readonly CsvRecord[], one: string, many: string): string {
  return `${records.length} ${records.length === 1 ? one : many}`;
}
