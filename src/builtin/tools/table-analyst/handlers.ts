import type { CapabilityHandler, CapabilityHandlers } from "../../../tools/connectors/contract.ts";
import { correlateColumns } from "./correlate.ts";
import { fitTrend } from "./trend.ts";
import {
  mean,
  quantileSorted,
  sampleStandardDeviation,
  medianSorted,
  sum,
} from "simple-statistics";
import type { JsonObject } from "../../../kernel/json.ts";
import { preview, ok, fail } from "../../../kernel/result.ts";
import { formatCount } from "../../../kernel/text.ts";
import {
  type Column,
  parseIsoDateMs,
  readTable,
  type TableCell,
  compareCells,
  findColumn,
  findNumberColumn,
  sortNumbers,
  toFigure,
} from "../table/table.ts";
import { collectProblems } from "../parameters.ts";
import { formatExamples } from "../table/raw-table.ts";

const TOP_VALUES = 5;

/**
 * Returns `{rows, columns: [{name, type, count, missing, distinct, …}], notes}`. Number columns also have min, max,
 * mean, median, standardDeviation (of the sample; null for one value), q1 and q3. Text and boolean columns also have
 * `top: [{value, count}]`. Date columns also have min and max as written.
 */
const profileTable: CapabilityHandler = async (parameters) => {
  const table = readTable(parameters);
  if (!table.ok) return table;
  const { columns, rowCount, notes } = table.value;
  return ok({ rows: rowCount, columns: columns.map(profileColumn), notes: [...notes] });
};

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

const FENCE_RANGES = 1.5;
const LISTED_MAX = 20;
// With fewer values, a single value can determine a quartile.
const VALUES_MIN = 4;

/**
 * Returns `{method: "tukey", columns: [{column, lower, upper, count, outliers: [{row, value}]}], notes}` with the
 * values below q1 - 1.5 IQR or above q3 + 1.5 IQR, farthest first. Rows are numbered from 1. `count` includes all
 * outliers; at most 20 are listed.
 */
const findOutliers: CapabilityHandler = async (parameters) => {
  const table = readTable(parameters);
  if (!table.ok) return table;
  const name = parameters["column"];
  const named = typeof name === "string" ? findNumberColumn(table.value, name, "column") : ok(null);
  if (!named.ok) return fail([named.failure]);
  const chosen = table.value.columns.filter((column) =>
    named.value === null ? column.type === "number" : column === named.value,
  );
  const searched = chosen.map(searchColumn);
  const notes = [...table.value.notes];
  if (chosen.length === 0) notes.push("There is no number column to search.");
  const few = chosen.filter((_, index) => searched[index] === null);
  if (few.length > 0) {
    const names = few.map((column) => preview(column.name));
    notes.push(
      `Not searched because there are fewer than ${VALUES_MIN} values: ${formatExamples("column", names)}.`,
    );
  }
  return ok({ method: "tukey", columns: searched.filter((found) => found !== null), notes });
};

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

const GROUPS_MAX = 1_000;

/**
 * Returns `{groupBy, column?, groups: [{group, count, sum?, mean?, median?, min?, max?}], notes}`, largest groups
 * first. `count` is the number of rows, or the number of values if there is a `column`. A group without values has no
 * figures. Rows without a group are omitted.
 */
const aggregateGroups: CapabilityHandler = async (parameters) => {
  const table = readTable(parameters);
  if (!table.ok) return table;
  const by = findColumn(table.value, String(parameters["groupBy"]), "groupBy");
  const name = parameters["column"];
  const of = typeof name === "string" ? findNumberColumn(table.value, name, "column") : ok(null);
  if (!by.ok || !of.ok) return fail(collectProblems([by, of]));
  const groups = groupRows(by.value, of.value).toSorted(
    (a, b) => b.count - a.count || compareCells(a.group, b.group),
  );
  return ok({
    groupBy: by.value.name,
    ...(of.value === null ? {} : { column: of.value.name }),
    groups: groups.slice(0, GROUPS_MAX).map(({ group, count, values }) => ({
      group,
      count,
      ...(values.length === 0 ? {} : describeGroup(values)),
    })),
    notes: [...table.value.notes, ...buildAggregateNotes(by.value, of.value, groups.length)],
  });
};

/** Groups the rows by the cells of `by`, with the numbers of the aggregated column. */
function groupRows(by: Column, of: Column | null) {
  const rowsByCell = Map.groupBy(by.cells.keys(), (row) => by.cells[row] ?? null);
  rowsByCell.delete(null);
  return Array.from(rowsByCell, ([group, rows]) => {
    const values = rows.map((row) => of?.cells[row]).filter((cell) => typeof cell === "number");
    return { group, count: of === null ? rows.length : values.length, values };
  });
}

function describeGroup(values: readonly number[]): JsonObject {
  const sorted = values.toSorted((a, b) => a - b);
  return {
    sum: toFigure(sum(sorted)),
    mean: toFigure(mean(sorted)),
    median: toFigure(medianSorted(sorted)),
    min: sorted[0] ?? null,
    max: sorted.at(-1) ?? null,
  };
}

function buildAggregateNotes(by: Column, of: Column | null, groups: number): string[] {
  const notes: string[] = [];
  const ungrouped = by.cells.filter((cell) => cell === null).length;
  const missing =
    of === null
      ? 0
      : of.cells.filter((cell, row) => cell === null && by.cells[row] !== null).length;
  if (ungrouped > 0)
    notes.push(`Omitted ${formatCount(ungrouped, "row")} without ${JSON.stringify(by.name)}.`);
  if (of !== null && missing > 0) {
    const values = formatCount(missing, "missing value");
    notes.push(`Omitted ${values} in ${JSON.stringify(of.name)}.`);
  }
  if (groups > GROUPS_MAX)
    notes.push(`Only the ${GROUPS_MAX} largest of ${groups} groups are listed.`);
  return notes;
}

export const tableAnalystHandlers: CapabilityHandlers = {
  profile: profileTable,
  aggregate: aggregateGroups,
  correlate: correlateColumns,
  outliers: findOutliers,
  trend: fitTrend,
};
