import { linearRegression, sampleCorrelation } from "simple-statistics";
import type { JsonObject } from "../../../kernel/json.ts";
import { type Problem, fail, ok, type Result } from "../../../kernel/result.ts";
import {
  type Column,
  describeColumnType,
  findColumn,
  findNumberColumn,
  readTable,
  type Table,
  type TableCell,
  toFigure,
  toPositions,
} from "../table/table.ts";
import { collectProblems } from "../parameters.ts";
import { formatCount } from "../../../kernel/text.ts";
import { computeCorrelationPValue, SIGNIFICANCE_LEVEL } from "../../significance.ts";

const DAY_MS = 86_400_000;
const ROUNDING = 1e-12;

/** The x axis of a trend. `positions` has one number per row, in units of `perUnit`; null if missing. */
interface TrendAxis {
  readonly label: string;
  readonly perUnit: string;
  readonly origin: string;
  readonly positions: readonly (number | null)[];
  readonly labels: readonly TableCell[];
}

interface TrendPoint {
  readonly x: number;
  readonly y: number;
  readonly at: TableCell;
}

/**
 * Fits a least-squares line over row numbers (from 1), dates (in days since the first) or another column. `direction`
 * is "flat" unless a t test of the slope is significant at 5%. `r2` is null if the values do not vary.
 */
export async function fitTrend(parameters: JsonObject): Promise<Result<JsonObject, Problem[]>> {
  const table = readTable(parameters);
  if (!table.ok) return table;
  const column = findNumberColumn(table.value, String(parameters["column"]), "column");
  const by = parameters["by"];
  const axis =
    typeof by === "string" ? createColumnAxis(table.value, by) : ok(createRowAxis(table.value));
  if (!column.ok || !axis.ok) return fail(collectProblems([column, axis]));
  const points = toTrendPoints(column.value, axis.value);
  const ends = { first: points[0], last: points.at(-1) };
  if (ends.first === undefined || ends.last === undefined || ends.first.x === ends.last.x) {
    const path = typeof by === "string" ? "by" : "column";
    return fail([{ path, message: "must have values at two or more positions to fit a line" }]);
  }
  const { slope, intercept } = fitLine(points, ends.last.x - ends.first.x);
  const isConstant = points.every(({ y }) => y === points[0]?.y);
  const r = isConstant
    ? 0
    : sampleCorrelation(
        points.map(({ x }) => x),
        points.map(({ y }) => y),
      );
  const notes = [
    ...table.value.notes,
    `The intercept is the value of the line at ${axis.value.origin}.`,
  ];
  const unused = table.value.rowCount - points.length;
  if (unused > 0) notes.push(`Omitted ${formatCount(unused, "row")} with a missing value.`);
  if (points.length < 3) notes.push("A line fits any two points, so the direction is not tested.");
  return ok({
    column: column.value.name,
    by: axis.value.label,
    n: points.length,
    slope: toFigure(slope),
    intercept: toFigure(intercept),
    r2: isConstant ? null : toFigure(r * r),
    direction: classifyDirection(slope, computeCorrelationPValue(r, points.length)),
    perUnit: axis.value.perUnit,
    first: { at: ends.first.at, value: ends.first.y },
    last: { at: ends.last.at, value: ends.last.y },
    notes,
  });
}

/** Fits the least-squares line. Changes within the rounding error of the values count as zero. */
function fitLine(
  points: readonly TrendPoint[],
  span: number,
): { slope: number; intercept: number } {
  const { m, b } = linearRegression(points.map(({ x, y }) => [x, y]));
  const largest = points.reduce((max, { y }) => Math.max(max, Math.abs(y)), 0);
  const isRoundingError = (change: number) => Math.abs(change) <= ROUNDING * largest;
  return { slope: isRoundingError(m * span) ? 0 : m, intercept: isRoundingError(b) ? 0 : b };
}

function classifyDirection(slope: number, pValue: number): "rising" | "falling" | "flat" {
  if (!(pValue < SIGNIFICANCE_LEVEL)) return "flat";
  return slope > 0 ? "rising" : "falling";
}

function createRowAxis({ rowCount }: Table): TrendAxis {
  const rows = Array.from({ length: rowCount }, (_, index) => index + 1);
  return { label: "row", perUnit: "row", origin: "row 0", positions: rows, labels: rows };
}

function createColumnAxis(table: Table, name: string): Result<TrendAxis, Problem> {
  const found = findColumn(table, name, "by");
  if (!found.ok) return found;
  const { cells: labels, type } = found.value;
  if (type === "number") {
    const positions = toPositions(found.value);
    return ok({
      label: name,
      perUnit: `unit of ${name}`,
      origin: `${name} = 0`,
      positions,
      labels,
    });
  }
  if (type !== "date") {
    return fail({
      path: "by",
      message: `must be a number or date column, but ${describeColumnType(found.value)}`,
    });
  }
  const instants = toPositions(found.value);
  const first = instants.reduce<number>((min, ms) => Math.min(min, ms ?? Infinity), Infinity);
  const positions = instants.map((ms) => (ms === null ? null : (ms - first) / DAY_MS));
  const origin = `the first date, ${new Date(first).toISOString()}`;
  return ok({ label: name, perUnit: "day", origin, positions, labels });
}

function toTrendPoints(column: Column, axis: TrendAxis): TrendPoint[] {
  return column.cells
    .flatMap((y, row) => {
      const x = axis.positions[row];
      return typeof y === "number" && typeof x === "number"
        ? [{ x, y, at: axis.labels[row] ?? null }]
        : [];
    })
    .toSorted((a, b) => a.x - b.x);
}
