import { type Problem, fail, ok, type Result } from "../../../kernel/result.ts";
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
  switch (type) {
    case "empty":
      return `${JSON.stringify(name)} has no values`;
    case "text":
      return `${JSON.stringify(name)} is text`;
    case "number":
    case "date":
    case "boolean":
      return `${JSON.stringify(name)} holds ${type}s`;
  }
}

/** All number columns, or the one that the parameter at `path` names. */
export function selectNumberColumns(
  table: Table,
  name: string | null,
  path: string,
): Result<readonly Column[], Problem> {
  if (name === null) return ok(table.columns.filter((column) => column.type === "number"));
  const found = findNumberColumn(table, name, path);
  return found.ok ? ok([found.value]) : found;
}
