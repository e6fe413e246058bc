import {
  type RawCell,
  type RawTable,
  checkTableSize,
  formatExamples,
  toUniqueColumnNames,
} from "./raw-table.ts";
import { type JsonObject, isJsonObject, type Json } from "../../../kernel/json.ts";
import { preview, type Problem, fail, ok, type Result } from "../../../kernel/result.ts";
import { roundToFourDigits } from "../rounding.ts";
import { readCsvTable } from "./csv.ts";

/** A table value. Null means missing; a date is an ISO 8601 string. */
export type TableCell = string | number | boolean | null;

/** The common type of a column's values. An "empty" column has no values. */
export type ColumnType = "number" | "text" | "date" | "boolean" | "empty";

export interface Column {
  readonly name: string;
  readonly type: ColumnType;
  readonly cells: readonly TableCell[];
}

/** A table with columns of equal length. `notes` states what was repaired or omitted. */
export interface Table {
  readonly columns: readonly Column[];
  readonly rowCount: number;
  readonly notes: readonly string[];
}

/** Compares two cells of a column. Numbers are compared by value, other types as strings. */
export function compareCells(one: TableCell, other: TableCell): number {
  if (typeof one === "number" && typeof other === "number") return one - other;
  return String(one) < String(other) ? -1 : 1;
}

const NAMES_SHOWN_MAX = 20;

/**
 * Reads the table from exactly one of `csv` (with a header line; comma, tab, semicolon or bar) and `data` (an array of
 * row objects). A value is missing if it is empty, NA, N/A, NaN or null, or if its key is absent.
 */
export function readTable(parameters: JsonObject): Result<Table, Problem[]> {
  const raw = readRawTable(parameters);
  if (!raw.ok) return raw;
  const { names, rows, notes } = raw.value;
  const columns = names.map((name, index) =>
    parseColumn(
      name,
      rows.map((row) => row[index] ?? null),
    ),
  );
  return ok({ columns, rowCount: rows.length, notes });
}

/** The column called `name`, or a Problem at `path` that lists the existing columns. */
export function findColumn(table: Table, name: string, path: string): Result<Column, Problem> {
  const found = table.columns.find((column) => column.name === name);
  if (found !== undefined) return ok(found);
  const names = table.columns.slice(0, NAMES_SHOWN_MAX).map((column) => preview(column.name));
  const more = table.columns.length - names.length;
  const list = more > 0 ? `${names.join(", ")} and ${more} more` : names.join(", ");
  return fail({ path, message: `must be a column of the table (${list}), got ${preview(name)}` });
}

function readRawTable({ csv, data }: JsonObject): Result<RawTable, Problem[]> {
  if (csv !== undefined && data !== undefined) {
    return fail([
      { path: "data", message: "must be omitted if csv is set; send only one of csv and data" },
    ]);
  }
  if (typeof csv === "string") return readCsvTable(csv);
  if (Array.isArray(data)) return readRowObjects(data);
  return fail([
    { path: "csv", message: "is required if data is omitted; send either csv or data" },
  ]);
}

const MISSING_VALUES = new Set(["", "na", "n/a", "null", "nan"]);
const DECIMAL = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i;
const LEADING_ZERO = /^[+-]?0\d/;
const WHOLE_NUMBER = /^[+-]?\d+$/;
const BOOLEAN = /^(?:true|false)$/i;

/** Creates a column. Its type is the one that fits all present cells, or text if none does. */
function parseColumn(name: string, raw: readonly RawCell[]): Column {
  const present = raw.filter((cell) => !isMissing(cell));
  const type = detectColumnType(present);
  return { name, type, cells: raw.map((cell) => toCell(cell, type)) };
}

function isMissing(cell: RawCell): cell is null | undefined {
  if (cell === null || cell === undefined) return true;
  return typeof cell === "string" && MISSING_VALUES.has(cell.trim().toLowerCase());
}

function detectColumnType(present: readonly RawCell[]): ColumnType {
  if (present.length === 0) return "empty";
  if (present.every(isNumber)) return "number";
  if (present.every((cell) => BOOLEAN.test(String(cell).trim()))) return "boolean";
  if (present.every((cell) => typeof cell === "string" && parseIsoDateMs(cell.trim()) !== null))
    return "date";
  return "text";
}

// Integers beyond double precision are treated as ids, because two different ids could become equal as numbers.
function isNumber(cell: RawCell): boolean {
  if (typeof cell === "number") return Number.isFinite(cell);
  if (typeof cell !== "string") return false;
  const text = cell.trim();
  if (!DECIMAL.test(text) || LEADING_ZERO.test(text)) return false;
  return WHOLE_NUMBER.test(text)
    ? Number.isSafeInteger(Number(text))
    : Number.isFinite(Number(text));
}

function toCell(cell: RawCell, type: ColumnType): TableCell {
  if (isMissing(cell)) return null;
  switch (type) {
    case "number":
      return Number(cell) + 0;
    case "boolean":
      return String(cell).trim().toLowerCase() === "true";
    case "date":
      return String(cell).trim();
    case "text":
      return String(cell);
    case "empty":
      return null;
  }
}

const ISO_DATE =
  /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)(Z|[+-]\d{2}:\d{2})?)?$/i;

/**
 * Parses an ISO 8601 date or date-time to milliseconds since 1970, in UTC if it has no zone. Null if it is invalid,
 * such as 2024-02-30.
 */
export function parseIsoDateMs(text: string): number | null {
  const [, day, time = "00:00", zone = "Z"] = ISO_DATE.exec(text) ?? [];
  if (day === undefined) return null;
  const ms = Date.parse(`${day}T${time}${zone.toUpperCase()}`);
  const isCalendarDay = new Date(`${day}T00:00:00Z`).toJSON()?.startsWith(day) ?? false;
  return Number.isNaN(ms) || !isCalendarDay ? null : ms;
}

/** The cells of a number or date column as numbers. Dates are in milliseconds since 1970. */
export function toPositions({ type, cells }: Column): (number | null)[] {
  return cells.map((cell) => {
    if (typeof cell === "number") return cell;
    return type === "date" && typeof cell === "string" ? parseIsoDateMs(cell) : null;
  });
}

const PROBLEMS_MAX = 20;

/** Reads an array of row objects as a table. Columns are in the order in which their keys first appear. */
function readRowObjects(data: readonly Json[]): Result<RawTable, Problem[]> {
  const others = data.entries().filter(([, row]) => !isJsonObject(row));
  const problems = Array.from(others.take(PROBLEMS_MAX), ([index, row]) => ({
    path: `data[${index}]`,
    message: `must be an object of column names and values, got ${preview(row)}`,
  }));
  if (problems.length > 0) return fail(problems);

  const objects = data.filter(isJsonObject);
  const keys = new Set(objects.flatMap(Object.keys));
  const indexes = new Map(Array.from(keys, (key, index) => [key, index]));
  if (indexes.size === 0) {
    return fail([{ path: "data", message: "must contain at least one row object with a column" }]);
  }
  const excess = checkTableSize("data", indexes.size, objects.length);
  if (excess !== null) return fail([excess]);
  const nested = new Set<string>();
  const rows = objects.map((row) => {
    const cells: RawCell[] = [];
    for (const [key, value] of Object.entries(row)) {
      const index = indexes.get(key);
      if (index === undefined) continue;
      if (typeof value === "object" && value !== null) nested.add(key);
      cells[index] = typeof value === "object" && value !== null ? JSON.stringify(value) : value;
    }
    return cells;
  });
  const { names, notes } = toUniqueColumnNames([...indexes.keys()]);
  if (nested.size > 0) {
    const columns = formatExamples("column", Array.from(nested, preview));
    notes.push(`Nested values were read as JSON text: ${columns}.`);
  }
  return ok({ names, rows, notes });
}

/** Rounds a computed figure for a result. Null if it overflowed a double, because JSON cannot represent that. */
export function toFigure(n: number): number | null {
  return Number.isFinite(n) ? roundToFourDigits(n) : null;
}

/** The numbers in a number column, smallest first. */
export function sortNumbers(column: Column): Float64Array {
  return Float64Array.from(column.cells.filter((cell) => typeof cell === "number")).toSorted();
}

/** The number column `name`, or a Problem at `path` with its actual type. */
export function findNumberColumn(
  table: Table,
  name: string,
  path: string,
): Result<Column, Problem> {
  const found = findColumn(table, name, path);
  if (!found.ok || found.value.type === "number") return found;
  return fail({ path, message: `must be a number column, but ${describeColumnType(found.value)}` });
}

/** For example, `"Species" is text`. */
export function describeColumnType({ name, type }: Column): string {
  if (type === "empty") return `${JSON.stringify(name)} has no values`;
  return `${JSON.stringify(name)} ${type === "text" ? "is text" : `contains ${type}s`}`;
}
