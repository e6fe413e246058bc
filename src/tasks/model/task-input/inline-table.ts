import { isJsonObject, type Json, type JsonObject, tryParseJson } from "../../../kernel/json.ts";

/** A table in text. `start` and `end` are character offsets. */
export type InlineTable = { readonly start: number; readonly end: number } & (
  | { readonly kind: "csv"; readonly value: string }
  | { readonly kind: "data"; readonly value: JsonObject[] }
);

const DELIMITERS = [",", ";", "\t", "|"];
const HEADER_CELL_CHARACTERS_MAX = 60;
/** How many lines are tried as the header. Lines above the header may have the same number of delimiters. */
const HEADERS_TRIED_MAX = 3;
/** How many rows are checked for a numeric column. Later rows only need the same width. */
const ROWS_READ_MAX = 1_000;
const NUMBER = /^[-+]?[$€£]?\s?\d[\d.,'’ ]*%?$/;
const SENTENCE_END = /[.:?!]$/;
/**
 * Matches escapes of U+0000, which request JSON must not contain, and of surrogates, because lone surrogates are not
 * allowed either.
 */
const FORBIDDEN_ESCAPE = /\\u(?:0000|d[89a-f])/i;

/** Finds a JSON array of flat objects between the first `[{` and the last `]` in `text`. */
export function findJsonRows(text: string): InlineTable | null {
  const start = text.search(/\[\s{0,9}\{/);
  const end = text.lastIndexOf("]") + 1;
  if (start === -1 || end <= start) return null;
  const source = text.slice(start, end);
  if (FORBIDDEN_ESCAPE.test(source)) return null;
  const value = tryParseJson(source);
  if (!Array.isArray(value)) return null;
  const rows = value.filter(isFlatObject);
  return rows.length === value.length ? { kind: "data", start, end, value: rows } : null;
}

/**
 * Finds a CSV table: a header and rows of equal width with a numeric column. Only groups of equal-width lines that
 * start in the first `startMax` characters are searched.
 */
export function findCsvTable(text: string, startMax: number): InlineTable | null {
  const lines = text.split("\n");
  for (const delimiter of DELIMITERS) {
    let start = 0;
    for (let from = 0; from < lines.length && start <= startMax;) {
      const { rows, to } = readEqualWidthLines(lines, from, delimiter);
      const header = findHeaderIndex(rows);
      if (header !== null) {
        start += measureLines(lines.slice(from, from + header));
        const value = lines.slice(from + header, to).join("\n");
        return { kind: "csv", start, end: start + value.length, value };
      }
      start += measureLines(lines.slice(from, to));
      from = to;
    }
  }
  return null;
}

function isFlatObject(value: Json): value is JsonObject {
  return (
    isJsonObject(value) &&
    Object.values(value).every((cell) =>
      typeof cell === "number" ? Number.isFinite(cell) : cell === null || typeof cell !== "object",
    )
  );
}

/**
 * Reads consecutive lines with the same number of cells, from `from` up to `to`. Returns the cells of at most
 * ROWS_READ_MAX lines. A line with one cell is never grouped with others.
 */
function readEqualWidthLines(
  lines: readonly string[],
  from: number,
  delimiter: string,
): { rows: string[][]; to: number } {
  const first = splitCells(lines[from] ?? "", delimiter);
  const rows = [first];
  let to = from + 1;
  for (; first.length > 1 && to < lines.length; to += 1) {
    const cells = splitCells(lines[to] ?? "", delimiter);
    if (cells.length !== first.length) break;
    if (rows.length < ROWS_READ_MAX) rows.push(cells);
  }
  return { rows, to };
}

/** The index of the header in lines of equal width, or null if they are not a table. */
function findHeaderIndex(rows: readonly (readonly string[])[]): number | null {
  for (let at = 0; at < Math.min(HEADERS_TRIED_MAX, rows.length - 1); at += 1) {
    if (isHeader(rows[at] ?? []) && hasNumberColumn(rows.slice(at + 1))) return at;
  }
  return null;
}

function isHeader(cells: readonly string[]): boolean {
  const isNamed = cells.every(
    (cell) => cell !== "" && cell.length <= HEADER_CELL_CHARACTERS_MAX && !NUMBER.test(cell),
  );
  return cells.length > 1 && isNamed && !SENTENCE_END.test(cells.at(-1) ?? "");
}

function hasNumberColumn(rows: readonly (readonly string[])[]): boolean {
  const [first = []] = rows;
  return first.some(
    (_, column) =>
      rows.every((row) => isNumberOrBlank(row[column])) && rows.some((row) => row[column] !== ""),
  );
}

function isNumberOrBlank(cell = ""): boolean {
  return cell === "" || NUMBER.test(cell);
}

/** Splits a line into cells. A delimiter in double quotes is part of the cell. */
function splitCells(line: string, delimiter: string): string[] {
  const cells: string[] = [];
  let start = 0;
  let isQuoted = false;
  for (let at = 0; at < line.length; at += 1) {
    const character = line[at];
    if (character === '"') isQuoted = !isQuoted;
    if (character !== delimiter || isQuoted) continue;
    cells.push(line.slice(start, at).trim());
    start = at + 1;
  }
  cells.push(line.slice(start).trim());
  return cells;
}

/** The total length in characters, including a line break after each line. */
function measureLines(lines: readonly string[]): number {
  return lines.reduce((sum, line) => sum + line.length + 1, 0);
}
