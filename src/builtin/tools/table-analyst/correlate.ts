import { sampleCorrelation } from "simple-statistics";
import type { Json } from "../../../kernel/json.ts";
import type { CapabilityHandler } from "../../../tools/connectors/contract.ts";
import { preview, type Problem, fail, ok, type Result } from "../../../kernel/result.ts";
import { readTable, type Column, type Table, findNumberColumn } from "../table/table.ts";
import { formatExamples } from "../table/raw-table.ts";
import { roundToFourDigits } from "../rounding.ts";

// The number of pairs grows quadratically: 30 columns have 435 pairs.
const COLUMNS_MAX = 30;
const PAIR_ROWS_MIN = 3;

interface ColumnCorrelation {
  readonly x: string;
  readonly y: string;
  readonly r: number;
  readonly n: number;
}

/**
 * Returns `{method: "pearson", pairs: [{x, y, r, n}], notes}`, largest |r| first. Each pair uses the n rows in which
 * both columns have a value. Pairs with a constant column or fewer than three such rows are omitted with a note.
 */
export const correlateColumns: CapabilityHandler = async (parameters) => {
  const table = readTable(parameters);
  if (!table.ok) return table;
  const chosen = selectPairColumns(table.value, parameters["columns"]);
  if (!chosen.ok) return chosen;
  const columns = chosen.value.slice(0, COLUMNS_MAX);
  const notes = [...table.value.notes];
  if (columns.length < chosen.value.length) {
    notes.push(
      `Only the first ${COLUMNS_MAX} of ${chosen.value.length} number columns were compared.`,
    );
  }
  if (columns.length < 2) notes.push("There are fewer than two number columns to compare.");
  const pairs: ColumnCorrelation[] = [];
  const omitted: string[] = [];
  for (const [index, x] of columns.entries()) {
    for (const y of columns.slice(index + 1)) {
      const pair = correlatePair(x, y);
      if (pair === null) omitted.push(`${preview(x.name)} and ${preview(y.name)}`);
      else pairs.push(pair);
    }
  }
  if (omitted.length > 0) {
    notes.push(
      `Omitted because a column is constant or fewer than ${PAIR_ROWS_MIN} rows have both values: ${formatExamples("pair", omitted)}.`,
    );
  }
  pairs.sort((a, b) => Math.abs(b.r) - Math.abs(a.r));
  return ok({
    method: "pearson",
    pairs: pairs.map((pair) => ({ ...pair, r: roundToFourDigits(pair.r) })),
    notes,
  });
};

function correlatePair(x: Column, y: Column): ColumnCorrelation | null {
  const xs: number[] = [];
  const ys: number[] = [];
  for (const [row, left] of x.cells.entries()) {
    const right = y.cells[row];
    if (typeof left !== "number" || typeof right !== "number") continue;
    xs.push(left);
    ys.push(right);
  }
  if (xs.length < PAIR_ROWS_MIN || isConstant(xs) || isConstant(ys)) return null;
  const r = sampleCorrelation(xs, ys);
  return Number.isFinite(r) ? { x: x.name, y: y.name, r, n: xs.length } : null;
}

// Compares values because rounding can make the standard deviation of equal numbers differ from zero.
function isConstant(values: readonly number[]): boolean {
  return values.every((value) => value === values[0]);
}

function selectPairColumns(table: Table, names: Json | undefined): Result<Column[], Problem[]> {
  if (!Array.isArray(names)) {
    return ok(table.columns.filter((column) => column.type === "number"));
  }
  if (names.length < 2 || names.length > COLUMNS_MAX) {
    const message = `must list 2 to ${COLUMNS_MAX} number columns, got ${names.length}`;
    return fail([{ path: "columns", message }]);
  }
  const columns: Column[] = [];
  const problems: Problem[] = [];
  for (const [index, name] of names.entries()) {
    const path = `columns[${index}]`;
    if (typeof name !== "string") {
      problems.push({ path, message: `must be a column name, got ${preview(name)}` });
    } else if (names.indexOf(name) < index) {
      problems.push({ path, message: `must not repeat ${preview(name)}` });
    } else {
      const found = findNumberColumn(table, name, path);
      if (found.ok) columns.push(found.value);
      else problems.push(found.failure);
    }
  }
  return problems.length === 0 ? ok(columns) : fail(problems);
}
