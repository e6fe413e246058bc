import { toChartLabel, GRID_COLOUR, OTHER_COLOUR } from "./style.ts";
import {
  type Column,
  type ColumnType,
  compareCells,
  readTable,
  type Table,
  type TableCell,
  toPositions,
} from "../table/table.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import type { CapabilityHandler } from "../../../tools/connectors/contract.ts";
import { formatCount } from "../../../kernel/text.ts";
import { preview, type Problem, fail, ok, type Result } from "../../../kernel/result.ts";
import {
  type ChartPoint,
  buildChartNotes,
  checkPoints,
  findTypedColumn,
  parseChartTitle,
  toColumnLabel,
} from "./parameters.ts";
import { collectProblems } from "../parameters.ts";
import { AXIS_LINE, buildValueAxis, buildLabelAxis, drawChart } from "./svg.ts";

/** A column with more distinct numbers is a measure, not a category. */
const COLOUR_VALUES_MAX = 12;

/**
 * `{csv | data, x, y, colour?, title?}` → `{svg, width, height, points, notes}`. Draws one dot per row; x is a number
 * or a date, and `colour` determines the colour and shape. `points` is the number of dots.
 */
export const drawScatterPlot: CapabilityHandler = async (parameters) => {
  const table = readTable(parameters);
  const title = parseChartTitle(parameters["title"]);
  if (!table.ok) return fail([...table.failure, ...collectProblems([title])]);
  const x = findTypedColumn(table.value, parameters, "x", ["number", "date"]);
  const y = findTypedColumn(table.value, parameters, "y", ["number"]);
  const colour = findColourColumn(table.value, parameters);
  if (!x.ok || !y.ok || !colour.ok || !title.ok)
    return fail(collectProblems([x, y, colour, title]));
  const found = sampleDots(x.value, y.value, colour.value);
  const points = found.groups.flatMap((group) => group.points);
  const problems = checkPoints(x.value, y.value, points);
  if (problems.length > 0) return fail(problems);
  const [xName, yName] = [toColumnLabel(x.value), toColumnLabel(y.value)];
  const names = toLegendNames(found.groups);
  const inGroups = names.length > 0 ? ` in ${names.length} groups: ${names.join(", ")}` : "";
  const chart = drawChart("Scatter plot", {
    title: title.value ?? `${yName} against ${xName}`,
    description: `${formatCount(points.length, "dot")}${inGroups}.`,
    points: points.length,
    notes: buildChartNotes(table.value, [x.value, y.value], found.omittedCount, found.notes),
    legendNames: names,
    xAxis:
      x.value.type === "date"
        ? {
            type: "time",
            ...buildLabelAxis(xName, "x", { hideOverlap: true }),
            splitLine: { show: true, lineStyle: { color: GRID_COLOUR } },
          }
        : { ...buildValueAxis(xName, "x"), scale: true, axisLine: AXIS_LINE },
    yAxis: { ...buildValueAxis(yName, "y"), scale: true },
    series: buildDotSeries(found.groups, names, points.length > MANY_DOTS),
  });
  return ok(chart);
};

const COLOUR_TYPES: readonly ColumnType[] = ["text", "boolean", "number", "date"];

function findColourColumn(table: Table, parameters: JsonObject): Result<Column | null, Problem> {
  const path = "colour";
  if (parameters[path] === undefined) return ok(null);
  const found = findTypedColumn(table, parameters, path, COLOUR_TYPES);
  if (!found.ok || found.value.type === "text" || found.value.type === "boolean") return found;
  if (new Set(found.value.cells).size <= COLOUR_VALUES_MAX) return found;
  const message = `must be a text column or have at most ${COLOUR_VALUES_MAX} distinct ${found.value.type}s`;
  return fail({ path, message });
}

/** The dots of one colour. `name` is null without a colour column; `isOther` marks combined or missing values. */
interface DotGroup {
  readonly name: string | null;
  readonly isOther: boolean;
  readonly points: readonly ChartPoint[];
}

interface ScatterDots {
  readonly groups: readonly DotGroup[];
  readonly omittedCount: number;
  readonly notes: readonly string[];
}

/** The number of distinguishable colours. */
const COLOUR_GROUPS_MAX = 6;
/** More dots would make the file large and the plot unreadable. */
const DOTS_MAX = 2_000;

/** Groups the rows by their `colour` value and samples at most 2,000 of them, evenly spaced over the table. */
function sampleDots(x: Column, y: Column, colour: Column | null): ScatterDots {
  const [xs, ys] = [toPositions(x), toPositions(y)];
  const rows = xs.flatMap((at, row) => (at === null || (ys[row] ?? null) === null ? [] : [row]));
  const step = Math.max(1, rows.length / DOTS_MAX);
  const drawn = Array.from(
    { length: Math.min(rows.length, DOTS_MAX) },
    (_, index) => rows[Math.floor(index * step)] ?? 0,
  );
  const notes: string[] = [];
  if (drawn.length < rows.length) {
    const [some, all] = [drawn.length, rows.length].map((count) => count.toLocaleString("en-US"));
    notes.push(`Only ${some} of ${all} rows were drawn, evenly spaced over the table.`);
  }
  const toPoint = (row: number): ChartPoint => [xs[row] ?? 0, ys[row] ?? 0];
  const omittedCount = xs.length - rows.length;
  if (colour === null) {
    const all = { name: null, isOther: false, points: drawn.map(toPoint) };
    return { groups: [all], omittedCount, notes };
  }
  const byValue = Map.groupBy(drawn, (row): TableCell => colour.cells[row] ?? null);
  const missing = byValue.get(null) ?? [];
  byValue.delete(null);
  const bySize = [...byValue].toSorted(([, one], [, other]) => other.length - one.length);
  const rest = bySize.slice(COLOUR_GROUPS_MAX);
  const groups = bySize
    .slice(0, COLOUR_GROUPS_MAX)
    .toSorted(([one], [other]) => compareCells(one, other))
    .map(([value, group]) => ({ name: String(value), isOther: false, points: group.map(toPoint) }));
  if (rest.length > 0) {
    const name = `other (${rest.length})`;
    notes.push(
      `The ${rest.length} rarest values of ${preview(colour.name)} are combined into "${name}".`,
    );
    groups.push({ name, isOther: true, points: rest.flatMap(([, group]) => group.map(toPoint)) });
  }
  if (missing.length > 0) {
    groups.push({ name: "missing", isOther: true, points: missing.map(toPoint) });
  }
  return { groups, omittedCount, notes };
}

const NAME_CHARACTERS_MAX = 18;
/** Shapes help readers who cannot distinguish the colours. */
const SHAPES = [
  "circle",
  "triangle",
  "rect",
  "diamond",
  "path://M0 0H10L5 9Z",
  "path://M4 0H8V4H12V8H8V12H4V8H0V4H4Z",
];
const MANY_DOTS = 500;

/** The groups as chart series. ECharts assigns colours in order. */
function buildDotSeries(groups: readonly DotGroup[], names: readonly string[], isCrowded: boolean) {
  return groups.map(({ isOther, points }, index) => ({
    type: "scatter" as const,
    name: names[index] ?? "",
    silent: true,
    emphasis: { disabled: true },
    symbol: isOther ? "emptyCircle" : (SHAPES[index] ?? "circle"),
    symbolSize: isCrowded ? 6 : 8,
    z: isOther ? 1 : 2,
    itemStyle: {
      ...(isOther && { color: OTHER_COLOUR }),
      opacity: isCrowded ? 0.6 : 0.75,
    },
    data: points.map((point) => [...point]),
  }));
}

/** A unique legend name for each group; empty without a colour column. */
function toLegendNames(groups: readonly DotGroup[]): string[] {
  const names = new Set<string>();
  for (const { name } of groups) {
    if (name === null) continue;
    const label = toChartLabel(name, NAME_CHARACTERS_MAX) || "blank";
    let unique = label;
    for (let copy = 2; names.has(unique); copy++) unique = `${label} ${copy}`;
    names.add(unique);
  }
  return [...names];
}
