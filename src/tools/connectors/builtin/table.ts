import type { JsonObject } from "../../../domain/json.ts";
import { shown, type Problem } from "../../../domain/problem.ts";
import { fail, ok, type Result } from "../../../domain/result.ts";
import { toColumn } from "./table/column.ts";
import { readCsv } from "./table/csv.ts";
import type { Sheet } from "./table/sheet.ts";
import { readRows } from "./table/rows.ts";

/** One value of a table; null is a missing one. A date cell is its ISO 8601 text. */
export type Cell = string | number | boolean | null;

/** What all present cells of a column are; "empty" has none present. */
export type ColumnType = "number" | "text" | "date" | "boolean" | "empty";

export interface Column {
  readonly name: string;
  readonly type: ColumnType;
  readonly cells: readonly Cell[];
}

/** Columns of equal length; `notes` says what was repaired or left out while reading. */
export interface Table {
  readonly columns: readonly Column[];
  readonly rowCount: number;
  readonly notes: readonly string[];
}

const NAMES_SHOWN_MAX = 20;

/**
 * The table given by exactly one of `csv` (text with a header line; comma, tab, semicolon or bar)
 * and `data` (an array of row objects). Missing: empty, NA, N/A, NaN, null, or an absent key.
 */
export async function readTable(parameters: JsonObject): Promise<Result<Table, Problem[]>> {
  const sheet = readSheet(parameters);
  if (!sheet.ok) return sheet;
  const { names, rows, notes } = sheet.value;
  const columns = names.map((name, index) =>
    toColumn(
      name,
      rows.map((row) => row[index] ?? null),
    ),
  );
  return ok({ columns, rowCount: rows.length, notes });
}

/** The column called `name`, or a Problem at `path` that lists the columns there are. */
export function columnNamed(table: Table, name: string, path: string): Result<Column, Problem> {
  const found = table.columns.find((column) => column.name === name);
  if (found !== undefined) return ok(found);
  const names = table.columns.slice(0, NAMES_SHOWN_MAX).map((column) => shown(column.name));
  const more = table.columns.length - names.length;
  const list = more > 0 ? `${names.join(", ")} and ${more} more` : names.join(", ");
  return fail({ path, message: `must be a column of the table (${list}), got ${shown(name)}` });
}

function readSheet({ csv, data }: JsonObject): Result<Sheet, Problem[]> {
  if (csv !== undefined && data !== undefined) {
    return fail([
      { path: "data", message: "must be left out when csv is given: exactly one of both" },
    ]);
  }
  if (typeof csv === "string") return readCsv(csv);
  if (Array.isArray(data)) return readRows(data);
  return fail([
    { path: "csv", message: "is required when data is not given: exactly one of both" },
  ]);
}
