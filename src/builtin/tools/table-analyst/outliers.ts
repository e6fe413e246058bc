import { quantileSorted } from "simple-statistics";
import type { JsonObject } from "../../../kernel/json.ts";
import { preview, type Problem } from "../../../kernel/problem.ts";
import { fail, ok, type Result } from "../../../kernel/result.ts";
import { readTable, type Column } from "../table/table.ts";
import { formatExamples } from "../table/raw-table.ts";
import { selectNumberColumns, toFigure, sortNumbers } from "./number-columns.ts";

const FENCE_RANGES = 1.5;
const LISTED_MAX = 20;
// With fewer values the quartiles are the values themselves.
const VALUES_MIN = 4;

/**
 * `{method: "tukey", columns: [{column, lower, upper, count, outliers: [{row, value}]}], notes}`:
 * values outside q1 - 1.5 IQR and q3 + 1.5 IQR, the farthest out first, rows from 1. `count` is
 * all of them; at most 20 are listed.
 */
export async function findOutliers(parameters: JsonObject): Promise<Result<JsonObject, Problem[]>> {
  const table = readTable(parameters);
  if (!table.ok) return table;
  const name = parameters["column"];
  const chosen = selectNumberColumns(table.value, typeof name === "string" ? name : null, "column");
  if (!chosen.ok) return fail([chosen.failure]);
  const searched = chosen.value.map(searchColumn);
  const notes = [...table.value.notes];
  if (chosen.value.length === 0) notes.push("There is no number column to search.");
  const few = chosen.value.filter((_, index) => searched[index] === null);
  if (few.length > 0) {
    const names = few.map((column) => preview(column.name));
    notes.push(
      `Fewer than ${VALUES_MIN} values, so not searched: ${formatExamples("column", names)}.`,
    );
  }
  return ok({ method: "tukey", columns: searched.filter((found) => found !== null), notes });
}

function searchColumn(column: Column): JsonObject | null {
  const sorted = Array.from(sortNumbers(column));
  if (sorted.length < VALUES_MIN) return null;
  const q1 = quantileSorted(sorted, 0.25);
  const q3 = quantileSorted(sorted, 0.75);
  const lower = q1 - FENCE_RANGES * (q3 - q1);
  const upper = q3 + FENCE_RANGES * (q3 - q1);
  const found = column.cells
    .flatMap((value, index) =>
      typeof value === "number" && (value < lower || value > upper)
        ? [{ row: index + 1, value, beyond: Math.max(lower - value, value - upper) }]
        : [],
    )
    .toSorted((a, b) => b.beyond - a.beyond);
  return {
    column: column.name,
    lower: toFigure(lower),
    upper: toFigure(upper),
    count: found.length,
    outliers: found.slice(0, LISTED_MAX).map(({ row, value }) => ({ row, value })),
  };
}
