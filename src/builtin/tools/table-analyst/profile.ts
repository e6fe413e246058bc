import { mean, quantileSorted, sampleStandardDeviation } from "simple-statistics";
import type { JsonObject } from "../../../kernel/json.ts";
import type { Problem } from "../../../kernel/problem.ts";
import { ok, type Result } from "../../../kernel/result.ts";
import { type Column, parseIsoDateMs, readTable, type TableCell } from "../table/table.ts";
import { toFigure, sortNumbers } from "./number-columns.ts";

const TOP_VALUES = 5;

/**
 * `{rows, columns: [{name, type, count, missing, distinct, …}], notes}`. Numbers add min, max, mean,
 * median, standardDeviation (sample; null for one value), q1, q3; texts and booleans add
 * `top: [{value, count}]`; dates add min and max as written.
 */
export async function profileTable(parameters: JsonObject): Promise<Result<JsonObject, Problem[]>> {
  const table = readTable(parameters);
  if (!table.ok) return table;
  const { columns, rowCount, notes } = table.value;
  return ok({ rows: rowCount, columns: columns.map(profileColumn), notes: [...notes] });
}

function profileColumn(column: Column): JsonObject {
  const present = column.cells.filter((cell) => cell !== null);
  const counts = new Map<TableCell, number>();
  for (const cell of present) counts.set(cell, (counts.get(cell) ?? 0) + 1);
  return {
    name: column.name,
    type: column.type,
    count: present.length,
    missing: column.cells.length - present.length,
    distinct: counts.size,
    ...describeValues(column, counts),
  };
}

function describeValues(column: Column, counts: ReadonlyMap<TableCell, number>): JsonObject {
  switch (column.type) {
    case "number":
      return describeNumbers(Array.from(sortNumbers(column)));
    case "text":
    case "boolean":
      return { top: findTopValues(counts) };
    case "date":
      return findDateRange([...counts.keys()]);
    case "empty":
      return {};
  }
}

function describeNumbers(sorted: number[]): JsonObject {
  return {
    min: sorted[0] ?? null,
    max: sorted.at(-1) ?? null,
    mean: toFigure(mean(sorted)),
    median: toFigure(quantileSorted(sorted, 0.5)),
    standardDeviation: sorted.length > 1 ? toFigure(sampleStandardDeviation(sorted)) : null,
    q1: toFigure(quantileSorted(sorted, 0.25)),
    q3: toFigure(quantileSorted(sorted, 0.75)),
  };
}

function findTopValues(counts: ReadonlyMap<TableCell, number>): JsonObject[] {
  return [...counts]
    .toSorted(
      ([a, times], [b, otherTimes]) => otherTimes - times || (String(a) < String(b) ? -1 : 1),
    )
    .slice(0, TOP_VALUES)
    .map(([value, count]) => ({ value, count }));
}

function findDateRange(dates: readonly TableCell[]): JsonObject {
  const ordered = dates
    .map((date) => ({ date, at: parseIsoDateMs(String(date)) ?? NaN }))
    .toSorted((a, b) => a.at - b.at);
  return { min: ordered[0]?.date ?? null, max: ordered.at(-1)?.date ?? null };
}
