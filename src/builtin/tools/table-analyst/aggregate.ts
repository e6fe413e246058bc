import { mean, medianSorted, sum } from "simple-statistics";
import type { JsonObject } from "../../../kernel/json.ts";
import type { Problem } from "../../../kernel/problem.ts";
import { fail, ok, type Result } from "../../../kernel/result.ts";
import { findColumn, readTable, type TableCell, type Column } from "../table/table.ts";
import { toFigure, findNumberColumn } from "./number-columns.ts";

const GROUPS_MAX = 1_000;

/** One group: its value, its rows, and the present numbers of the aggregated column. */
interface RowGroup {
  readonly group: TableCell;
  rows: number;
  readonly values: number[];
}

/**
 * `{groupBy, column?, groups: [{group, count, sum?, mean?, median?, min?, max?}], notes}`, the largest
 * groups first. `count` is rows, or the present values of `column` when one is given; a group
 * without any has no figures. Rows without a group are left out.
 */
export async function aggregateGroups(
  parameters: JsonObject,
): Promise<Result<JsonObject, Problem[]>> {
  const table = readTable(parameters);
  if (!table.ok) return table;
  const by = findColumn(table.value, String(parameters["groupBy"]), "groupBy");
  const name = parameters["column"];
  const of = typeof name === "string" ? findNumberColumn(table.value, name, "column") : ok(null);
  if (!by.ok || !of.ok) {
    return fail([by, of].flatMap((found) => (found.ok ? [] : [found.failure])));
  }
  const groups = [...groupRows(by.value, of.value)].toSorted(
    (a, b) => countGroup(b, of.value) - countGroup(a, of.value) || compareCells(a.group, b.group),
  );
  return ok({
    groupBy: by.value.name,
    ...(of.value === null ? {} : { column: of.value.name }),
    groups: groups.slice(0, GROUPS_MAX).map((group) => toGroupFigures(group, of.value)),
    notes: [...table.value.notes, ...buildAggregateNotes(by.value, of.value, groups.length)],
  });
}

function groupRows(by: Column, of: Column | null): Iterable<RowGroup> {
  const groups = new Map<TableCell, RowGroup>();
  for (const [row, key] of by.cells.entries()) {
    if (key === null) continue;
    const group = groups.get(key) ?? { group: key, rows: 0, values: [] };
    groups.set(key, group);
    group.rows += 1;
    const value = of?.cells[row];
    if (typeof value === "number") group.values.push(value);
  }
  return groups.values();
}

function countGroup({ rows, values }: RowGroup, of: Column | null): number {
  return of === null ? rows : values.length;
}

function toGroupFigures(group: RowGroup, of: Column | null): JsonObject {
  const counted = { group: group.group, count: countGroup(group, of) };
  if (group.values.length === 0) return counted;
  const sorted = group.values.toSorted((a, b) => a - b);
  return {
    ...counted,
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
    notes.push(`Rows without ${JSON.stringify(by.name)} were left out: ${ungrouped}.`);
  if (of !== null && missing > 0) {
    notes.push(`Missing values of ${JSON.stringify(of.name)} were left out: ${missing}.`);
  }
  if (groups > GROUPS_MAX)
    notes.push(`Only the ${GROUPS_MAX} largest of ${groups} groups are listed.`);
  return notes;
}

function compareCells(a: TableCell, b: TableCell): number {
  if (typeof a === "number" && typeof b === "number") return a - b;
  return String(a) < String(b) ? -1 : 1;
}
