import { extent } from "d3-array";
import { mean } from "simple-statistics";
import type { Json, JsonObject } from "../../../kernel/json.ts";
import { preview, type Problem, fail, ok, type Result } from "../../../kernel/result.ts";
import { type Column, type ColumnType, findColumn, type Table } from "../table/table.ts";
import { toChartLabel } from "./style.ts";
import { formatCount } from "../../../kernel/text.ts";

const TITLE_CHARACTERS_MAX = 200;
const NAME_CHARACTERS_MAX = 60;
/** Beyond these limits, ticks cannot be placed on an axis. */
const SIZE_MAX = 1e100;
const SIZE_MIN = 1e-15;
const SPREAD_MIN = 1e-18;

/** Finds the column that the parameter `path` names. Its type must be one of `types`. */
export function findTypedColumn(
  table: Table,
  parameters: JsonObject,
  path: string,
  types: readonly ColumnType[],
): Result<Column, Problem> {
  const wantedName = parameters[path];
  const found = findColumn(table, typeof wantedName === "string" ? wantedName : "", path);
  if (!found.ok) return found;
  const { name, type } = found.value;
  if (!types.includes(type)) {
    const kind = type === "empty" ? "has no values" : `contains ${toPlural(type)}`;
    const wanted = types.map(toPlural).join(" or ");
    return fail({ path, message: `must be a column of ${wanted}, but ${preview(name)} ${kind}` });
  }
  return found;
}

function toPlural(type: ColumnType): string {
  return type === "text" ? type : `${type}s`;
}

/** Returns a Problem if `numbers` cannot be drawn. They belong to `column`, which the parameter `path` names. */
export function checkDrawable(
  path: string,
  { name }: Column,
  numbers: readonly number[],
): Problem[] {
  const [least = 0, most = 0] = extent(numbers);
  const size = Math.max(Math.abs(least), Math.abs(most));
  if (size > SIZE_MAX) {
    const message = `must be a column of numbers up to ${SIZE_MAX} in size, but ${preview(name)} contains larger numbers`;
    return [{ path, message }];
  }
  if ((size > 0 && size < SIZE_MIN) || (most > least && most - least < SPREAD_MIN)) {
    const message = `must be a column of larger numbers; the numbers in ${preview(name)} are too small to draw, so convert them to a smaller unit`;
    return [{ path, message }];
  }
  return [];
}

/** Returns Problems if there are no points or if they cannot be drawn. */
export function checkPoints(x: Column, y: Column, points: readonly ChartPoint[]): Problem[] {
  if (points.length === 0) return [createNoRowProblem("x", [x, y])];
  const [xs, ys] = [points.map(([at]) => at), points.map(([, at]) => at)];
  return [...checkDrawable("x", x, xs), ...checkDrawable("y", y, ys)];
}

/** Reads the title; null if it is absent or blank. */
export function parseChartTitle(value: Json | undefined): Result<string | null, Problem> {
  if (typeof value !== "string") return ok(null);
  if (value.length <= TITLE_CHARACTERS_MAX)
    return ok(toChartLabel(value, TITLE_CHARACTERS_MAX) || null);
  const message = `must have at most ${TITLE_CHARACTERS_MAX} characters, got ${value.length}`;
  return fail({ path: "title", message });
}

export function toColumnLabel({ name }: Column): string {
  return toChartLabel(name, NAME_CHARACTERS_MAX);
}

/** The table's notes, a note about rows omitted because they lack one of `columns`, and `more`. */
export function buildChartNotes(
  table: Table,
  columns: readonly Column[],
  omittedCount: number,
  more: readonly string[],
): string[] {
  const names = columns.map(({ name }) => preview(name)).join(" or ");
  const omitted =
    omittedCount === 0 ? [] : [`Omitted ${formatCount(omittedCount, "row")} without ${names}.`];
  return [...table.notes, ...omitted, ...more];
}

export function createNoRowProblem(path: string, columns: readonly Column[]): Problem {
  const names = columns.map(({ name }) => preview(name)).join(" and ");
  return { path, message: `must have at least one row with ${names}` };
}

/** A point in a chart. Dates are in milliseconds since 1970. */
export type ChartPoint = readonly [x: number, y: number];

/** The points of rows that have both numbers, in row order. */
export function toPoints(
  xs: readonly (number | null)[],
  ys: readonly (number | null)[],
): { points: ChartPoint[]; leftOut: number } {
  const points: ChartPoint[] = [];
  for (const [row, x] of xs.entries()) {
    const y = ys[row] ?? null;
    if (x !== null && y !== null) points.push([x, y]);
  }
  return { points, leftOut: xs.length - points.length };
}

/**
 * One point per distinct x, in ascending order, with the mean of its y values. `repeats` is true if any x has several y
 * values.
 */
export function averageByX(points: readonly ChartPoint[]): {
  points: ChartPoint[];
  repeats: boolean;
} {
  const groups = Map.groupBy(points, ([x]) => x);
  const means = Array.from(groups, ([x, group]): ChartPoint => [x, mean(group.map(([, y]) => y))]);
  return {
    points: means.toSorted(([one], [other]) => one - other),
    repeats: groups.size < points.length,
  };
}
