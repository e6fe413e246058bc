import { mean, medianSorted, sum } from "simple-statistics";
import type { JsonObject } from "../../../../domain/json.ts";
import type { Problem } from "../../../../domain/problem.ts";
import { fail, ok, type Result } from "../../../../domain/result.ts";
import { columnNamed, readTable, type Cell, type Column } from "../table.ts";
import { figure, numberColumn } from "./numbers.ts";

const GROUPS_MAX = 1_000;

/** One group: its value, its rows, and the present numbers of the aggregated column. */
interface Group {
  readonly group: Cell;
  rows: number;
  readonly values: number[];
}

/**
 * `{groupBy, column?, groups: [{group, count, sum?, mean?, median?, min?, max?}], notes}`, the largest
 * groups first. `count` is rows, or the present values of `column` when one is given; a group
 * without any has no figures. Rows without a group are left out.
 */
export async function aggregate(parameters: JsonObject): Promise<Result<JsonObject, Problem[]>> {
  const table = await readTable(parameters);
  if (!table.ok) return table;
  const by = columnNamed(table.value, String(parameters["groupBy"]), "groupBy");
  const name = parameters["column"];
  const of = typeof name === "string" ? numberColumn(table.value, name, "column") : ok(null);
  if (!by.ok || !of.ok) {
    return fail([by, of].flatMap((found) => (found.ok ? [] : [found.failure])));
  }
  const groups = [...groupsOf(by.value, of.value)].toSorted(
    (a, b) => countOf(b, of.value) - countOf(a, of.value) || compare(a.group, b.group),
  );
  return ok({
    groupBy: by.value.name,
    ...(of.value === null ? {} : { column: of.value.name }),
    groups: groups.slice(0, GROUPS_MAX).map((group) => figuresOf(group, of.value)),
    notes: [...table.value.notes, ...notesOn(by.value, of.value, groups.length)],
  });
}

function groupsOf(by: Column, of: Column | null): Iterable<Group> {
  const groups = new Map<Cell, Group>();
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

function countOf({ rows, values }: Group, of: Column | null): number {
  return of === null ? rows : values.length;
}

function figuresOf(group: Group, of: Column | null): JsonObject {
  const counted = { group: group.group, count: countOf(group, of) };
  if (group.values.length === 0) return counted;
  const sorted = group.values.toSorted((a, b) => a - b);
  return {
    ...counted,
    sum: figure(sum(sorted)),
    mean: figure(mean(sorted)),
    median: figure(medianSorted(sorted)),
    min: sorted[0] ?? null,
    max: sorted.at(-1) ?? null,
  };
}

function notesOn(by: Column, of: Column | null, groups: number): string[] {
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

function compare(a: Cell, b: Cell): number {
  if (typeof a === "number" && typeof b === "number") return a - b;
  return String(a) < String(b) ? -1 : 1;
}
