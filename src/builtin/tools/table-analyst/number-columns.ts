import { type Problem, fail, type Result } from "../../../kernel/result.ts";
import { roundToFourDigits } from "../rounding.ts";
import { findColumn, type Column, type Table } from "../table/table.ts";

/** A computed figure for a result; null when it overflowed a double, which JSON cannot carry. */
export function toFigure(n: number): number | null {
  return Number.isFinite(n) ? roundToFourDigits(n) : null;
}

/** The present numbers of a number column, smallest first. */
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

/** "Species" is text. */
export function describeColumnType({ name, type }: Column): string {
  if (type === "empty") return `${JSON.stringify(name)} has no values`;
  return `${JSON.stringify(name)} ${type === "text" ? "is text" : `holds ${type}s`}`;
}
