import papaparse from "papaparse";
import { isJsonObject, type Json, type JsonObject } from "../../../kernel/json.ts";
import { preview, type Problem, fail, ok, type Result } from "../../../kernel/result.ts";
import { checkTableSize, formatExamples, toUniqueColumnNames } from "../table/raw-table.ts";
import {
  CONTENT_PARAMETER,
  failContent,
  type FormatReadResult,
  type FormatWriteResult,
} from "./formats.ts";
import { parseCsv } from "../table/csv.ts";

// Every row object repeats the column names.
const REPEATED_NAMES_CHARACTERS_MAX = 8_000_000;

/** Reads CSV as row objects. Every cell is a string; a missing cell has no key. */
export function readCsv(content: string): Result<FormatReadResult, Problem> {
  const parsed = parseCsv(content, CONTENT_PARAMETER);
  if (!parsed.ok) return parsed;
  const [header, ...body] = parsed.value.records;
  if (header === undefined) {
    return failContent("must start with a header line that names the columns");
  }
  const width = body.reduce((max, { cells }) => Math.max(max, cells.length), header.cells.length);
  const wide = Array.from({ length: width }, (_, index) => header.cells[index] ?? "");
  const nameCharacters = wide.reduce((sum, name) => sum + name.length, 0);
  if (nameCharacters * body.length > REPEATED_NAMES_CHARACTERS_MAX) {
    return failContent("must have shorter column names, because every row would repeat them");
  }
  const { names, notes: nameNotes } = toUniqueColumnNames(wide);
  const notes = [...nameNotes, ...parsed.value.notes];
  const ragged = body.filter(({ cells }) => cells.length !== header.cells.length);
  if (ragged.length > 0) {
    const numbers = ragged.map(({ line }) => line);
    const lines = formatExamples("line", numbers);
    notes.push(`Rows shorter or longer than the header: ${lines}.`);
  }
  if (body.length === 0) notes.push("The header has no rows below it.");
  const value = body.map(({ cells }) =>
    Object.fromEntries(cells.map((cell, index) => [names[index] ?? `column_${index + 1}`, cell])),
  );
  return ok({ value, notes });
}

// Text that spreadsheets run as a formula (OWASP: CSV injection). Plain numbers are harmless.
const FORMULA_START = /^[=+\-@\t\r]/;
const PLAIN_NUMBER = /^[+-]?\d+(?:\.\d+)?$/;
// If the header contains one of these characters, a reader could detect the wrong delimiter.
const OTHER_DELIMITERS = /[;|\t]/;

/** What the conversion changed. The sets contain column names. */
interface CsvConversionNotes {
  readonly nested: Set<string>;
  readonly formulas: Set<string>;
  hasNulls: boolean;
}

/**
 * Writes an array of objects as CSV (RFC 4180, comma, CRLF). Nested values are written as JSON text, and nulls as empty
 * cells.
 */
export function writeCsv(value: Json): Result<FormatWriteResult, Problem> {
  const { rows, path } = findRows(value);
  const objects = parseRowObjects(rows);
  if (!objects.ok) return objects;
  const names = [...new Set(objects.value.flatMap(Object.keys))];
  if (names.length === 0)
    return failContent("must contain at least one row with a key to be converted to CSV");
  const excess = checkTableSize(CONTENT_PARAMETER, names.length, objects.value.length);
  if (excess !== null) return fail(excess);
  const found: CsvConversionNotes = { nested: new Set(), formulas: new Set(), hasNulls: false };
  const data = objects.value.map((row) =>
    names.map((name) =>
      toCsvCell(name, Object.hasOwn(row, name) ? (row[name] ?? null) : "", found),
    ),
  );
  const quotes = names.length === 1 || names.some((name) => OTHER_DELIMITERS.test(name));
  const content = papaparse.unparse({ fields: names, data }, { quotes });
  return ok({ content, rows: data.length, notes: buildCsvNotes(found, path) });
}

/** The array to write: the value itself, or the value inside nested objects that have only one key. */
function findRows(value: Json): { rows: Json; path: string[] } {
  const path: string[] = [];
  let rows = value;
  while (isJsonObject(rows)) {
    const [entry, ...others] = Object.entries(rows);
    if (entry === undefined || others.length > 0) break;
    path.push(entry[0]);
    rows = entry[1];
  }
  return { rows, path };
}

function parseRowObjects(rows: Json): Result<JsonObject[], Problem> {
  if (!Array.isArray(rows))
    return failContent(`must be an array of objects to be converted to CSV, got ${preview(rows)}`);
  if (rows.every(isJsonObject)) return ok(rows);
  const place = rows.findIndex((row) => !isJsonObject(row));
  return failContent(
    `must contain only objects to be converted to CSV, got ${preview(rows[place])} as row ${place + 1}`,
  );
}

function toCsvCell(name: string, value: Json, found: CsvConversionNotes): string {
  if (value === null) {
    found.hasNulls = true;
    return "";
  }
  if (typeof value === "object") {
    found.nested.add(preview(name));
    return JSON.stringify(value);
  }
  const text = String(value);
  if (FORMULA_START.test(text) && !PLAIN_NUMBER.test(text)) found.formulas.add(preview(name));
  return text;
}

function buildCsvNotes(
  { nested, formulas, hasNulls }: CsvConversionNotes,
  path: readonly string[],
): string[] {
  const notes: string[] = [];
  if (path.length > 0) notes.push(`The rows were taken from ${preview(path.join("."))}.`);
  if (nested.size > 0) {
    notes.push(
      `Nested values were written as JSON text: ${formatExamples("column", [...nested])}.`,
    );
  }
  if (hasNulls) notes.push("Nulls were written as empty cells.");
  if (formulas.size > 0) {
    const columns = formatExamples("column", [...formulas]);
    notes.push(`Cells that a spreadsheet would run as formulas were kept unchanged: ${columns}.`);
  }
  return notes;
}
