import { linearRegression, sampleCorrelation } from "simple-statistics";
import type { JsonObject } from "../../../../domain/json.ts";
import type { Problem } from "../../../../domain/problem.ts";
import { fail, ok, type Result } from "../../../../domain/result.ts";
import { columnNamed, readTable, type Cell, type Column, type Table } from "../table.ts";
import { instantMs } from "../table/dates.ts";
import { figure, kindOf, numberColumn } from "./numbers.ts";
import { correlationPValue } from "./significance.ts";

const DAY_MS = 86_400_000;
const SIGNIFICANCE = 0.05;
const ROUNDING = 1e-12;

/** What the trend follows: `positions` in its unit, one for each row, null where missing. */
interface Axis {
  readonly label: string;
  readonly perUnit: string;
  readonly origin: string;
  readonly positions: readonly (number | null)[];
  readonly labels: readonly Cell[];
}

interface Point {
  readonly x: number;
  readonly y: number;
  readonly at: Cell;
}

/**
 * `{column, by, n, slope, intercept, r2, direction, perUnit, first: {at, value}, last, notes}`: the
 * least-squares line over rows (from 1), dates (in days since the first) or another column. Direction
 * is "flat" unless a two-sided t test of the slope is significant at 5 %; r2 is null when the values
 * do not vary. `first` and `last` are the observed values at the ends.
 */
export async function trend(parameters: JsonObject): Promise<Result<JsonObject, Problem[]>> {
  const table = await readTable(parameters);
  if (!table.ok) return table;
  const column = numberColumn(table.value, String(parameters["column"]), "column");
  const by = parameters["by"];
  const axis = typeof by === "string" ? axisOf(table.value, by) : ok(rowAxis(table.value));
  if (!column.ok || !axis.ok) {
    return fail([column, axis].flatMap((found) => (found.ok ? [] : [found.failure])));
  }
  const points = pointsOf(column.value, axis.value);
  const ends = { first: points[0], last: points.at(-1) };
  if (ends.first === undefined || ends.last === undefined || ends.first.x === ends.last.x) {
    const path = typeof by === "string" ? "by" : "column";
    return fail([{ path, message: "must have values at two or more places; a line needs two" }]);
  }
  const { slope, intercept } = lineThrough(points, ends.last.x - ends.first.x);
  const isConstant = points.every(({ y }) => y === points[0]?.y);
  const r = isConstant
    ? 0
    : sampleCorrelation(
        points.map(({ x }) => x),
        points.map(({ y }) => y),
      );
  const notes = [...table.value.notes, `The intercept is the line at ${axis.value.origin}.`];
  const unused = table.value.rowCount - points.length;
  if (unused > 0) notes.push(`Rows with a missing value were left out: ${unused}.`);
  if (points.length < 3) notes.push("Two points fit any line, so the direction is not tested.");
  return ok({
    column: column.value.name,
    by: axis.value.label,
    n: points.length,
    slope: figure(slope),
    intercept: figure(intercept),
    r2: isConstant ? null : figure(r * r),
    direction: directionOf(slope, correlationPValue(r, points.length)),
    perUnit: axis.value.perUnit,
    first: { at: ends.first.at, value: ends.first.y },
    last: { at: ends.last.at, value: ends.last.y },
    notes,
  });
}

/** The least-squares line; what is only the rounding of the values' own size counts as zero. */
function lineThrough(points: readonly Point[], span: number): { slope: number; intercept: number } {
  const { m, b } = linearRegression(points.map(({ x, y }) => [x, y]));
  const largest = points.reduce((max, { y }) => Math.max(max, Math.abs(y)), 0);
  function isNothing(change: number): boolean {
    return Math.abs(change) <= ROUNDING * largest;
  }
  return { slope: isNothing(m * span) ? 0 : m, intercept: isNothing(b) ? 0 : b };
}

function directionOf(slope: number, pValue: number): "rising" | "falling" | "flat" {
  if (!(pValue < SIGNIFICANCE)) return "flat";
  return slope > 0 ? "rising" : "falling";
}

function rowAxis({ rowCount }: Table): Axis {
  const rows = Array.from({ length: rowCount }, (_, index) => index + 1);
  return { label: "row", perUnit: "row", origin: "row 0", positions: rows, labels: rows };
}

function axisOf(table: Table, name: string): Result<Axis, Problem> {
  const found = columnNamed(table, name, "by");
  if (!found.ok) return found;
  const { cells, type } = found.value;
  if (type === "number") {
    const positions = cells.map((cell) => (typeof cell === "number" ? cell : null));
    const axis = { label: name, perUnit: `unit of ${name}`, origin: `${name} 0` };
    return ok({ ...axis, positions, labels: cells });
  }
  if (type !== "date") {
    return fail({
      path: "by",
      message: `must be a number or date column, but ${kindOf(found.value)}`,
    });
  }
  const instants = cells.map((cell) => (cell === null ? null : instantMs(String(cell))));
  const first = instants.reduce<number>((min, ms) => Math.min(min, ms ?? Infinity), Infinity);
  const positions = instants.map((ms) => (ms === null ? null : (ms - first) / DAY_MS));
  const origin = `the first date, ${new Date(first).toISOString()}`;
  return ok({ label: name, perUnit: "day", origin, positions, labels: cells });
}

function pointsOf(column: Column, axis: Axis): Point[] {
  return column.cells
    .flatMap((y, row) => {
      const x = axis.positions[row];
      return typeof y === "number" && typeof x === "number"
        ? [{ x, y, at: axis.labels[row] ?? null }]
        : [];
    })
    .toSorted((a, b) => a.x - b.x);
}
