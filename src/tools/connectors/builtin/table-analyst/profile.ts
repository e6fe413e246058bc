import { mean, quantileSorted, sampleStandardDeviation } from "simple-statistics";
import type { JsonObject } from "../../../../domain/json.ts";
import type { Problem } from "../../../../domain/problem.ts";
import { ok, type Result } from "../../../../domain/result.ts";
import { readTable, type Cell, type Column } from "../table.ts";
import { instantMs } from "../table/dates.ts";
import { figure, sortedNumbers } from "./numbers.ts";

const TOP_VALUES = 5;

/**
 * `{rows, columns: [{name, type, count, missing, distinct, …}], notes}`. Numbers add min, max, mean,
 * median, standardDeviation (sample; null for one value), q1, q3; texts and booleans add
 * `top: [{value, count}]`; dates add min and max as written.
 */
export async function profile(parameters: JsonObject): Promise<Result<JsonObject, Problem[]>> {
  const table = await readTable(parameters);
  if (!table.ok) return table;
  const { columns, rowCount, notes } = table.value;
  return ok({ rows: rowCount, columns: columns.map(profileOf), notes: [...notes] });
}

function profileOf(column: Column): JsonObject {
  const present = column.cells.filter((cell) => cell !== null);
  const counts = new Map<Cell, number>();
  for (const cell of present) counts.set(cell, (counts.get(cell) ?? 0) + 1);
  return {
    name: column.name,
    type: column.type,
    count: present.length,
    missing: column.cells.length - present.length,
    distinct: counts.size,
    ...detailsOf(column, counts),
  };
}

function detailsOf(column: Column, counts: ReadonlyMap<Cell, number>): JsonObject {
  switch (column.type) {
    case "number":
      return spreadOf(Array.from(sortedNumbers(column)));
    case "text":
    case "boolean":
      return { top: topOf(counts) };
    case "date":
      return rangeOf([...counts.keys()]);
    case "empty":
      return {};
  }
}

function spreadOf(sorted: number[]): JsonObject {
  return {
    min: sorted[0] ?? null,
    max: sorted.at(-1) ?? null,
    mean: figure(mean(sorted)),
    median: figure(quantileSorted(sorted, 0.5)),
    standardDeviation: sorted.length > 1 ? figure(sampleStandardDeviation(sorted)) : null,
    q1: figure(quantileSorted(sorted, 0.25)),
    q3: figure(quantileSorted(sorted, 0.75)),
  };
}

function topOf(counts: ReadonlyMap<Cell, number>): JsonObject[] {
  return [...counts]
    .toSorted(
      ([a, times], [b, otherTimes]) => otherTimes - times || (String(a) < String(b) ? -1 : 1),
    )
    .slice(0, TOP_VALUES)
    .map(([value, count]) => ({ value, count }));
}

function rangeOf(dates: readonly Cell[]): JsonObject {
  const ordered = dates
    .map((date) => ({ date, at: instantMs(String(date)) ?? NaN }))
    .toSorted((a, b) => a.at - b.at);
  return { min: ordered[0]?.date ?? null, max: ordered.at(-1)?.date ?? null };
}
