import { extent } from "d3-array";
import { formatFigure, toChartLabel } from "./style.ts";
import type { CapabilityHandler } from "../../../tools/connectors/contract.ts";
import { formatCount } from "../../../kernel/text.ts";
import { fail, ok } from "../../../kernel/result.ts";
import { readTable, type TableCell, toPositions, type Column } from "../table/table.ts";
import {
  type ChartPoint,
  averageByX,
  buildChartNotes,
  checkPoints,
  findTypedColumn,
  parseChartTitle,
  toColumnLabel,
  toPoints,
} from "./parameters.ts";
import { collectProblems } from "../parameters.ts";
import { AXIS_LINE, buildValueAxis, buildLabelAxis, drawChart } from "./svg.ts";

/**
 * `{csv | data, x, y, title?}` → `{svg, width, height, points, notes}`. Draws a line with one point per x: numbers or
 * dates in ascending order, or text labels in the order in which they first appear.
 */
export const drawLineChart: CapabilityHandler = async (parameters) => {
  const table = readTable(parameters);
  const title = parseChartTitle(parameters["title"]);
  if (!table.ok) return fail([...table.failure, ...collectProblems([title])]);
  const x = findTypedColumn(table.value, parameters, "x", ["number", "date", "text"]);
  const y = findTypedColumn(table.value, parameters, "y", ["number"]);
  if (!x.ok || !y.ok || !title.ok) return fail(collectProblems([x, y, title]));
  const { axis, positions } = toLineAxis(x.value);
  const found = toPoints(positions, toPositions(y.value));
  const { points, repeats } = averageByX(found.points);
  const problems = checkPoints(x.value, y.value, points);
  if (problems.length > 0) return fail(problems);
  const xName = toColumnLabel(x.value);
  const yName = `${repeats ? "Mean of " : ""}${toColumnLabel(y.value)}`;
  const isThinned = points.length > POINTS_DRAWN_MAX;
  const pointNotes = [
    ...(repeats
      ? ["Some x values repeat, so each point shows the mean of all rows with its x value."]
      : []),
    ...(isThinned ? [THINNED_NOTE] : []),
  ];
  const chart = drawChart("Line chart", {
    title: title.value ?? `${yName} by ${xName}`,
    description: describeLine(points),
    points: points.length,
    notes: buildChartNotes(table.value, [x.value, y.value], found.leftOut, pointNotes),
    xAxis: buildXAxis(axis, xName),
    yAxis: { ...buildValueAxis(yName, "y"), scale: true },
    series: {
      type: "line",
      silent: true,
      emphasis: { disabled: true },
      data: points.map((point) => [...point]),
      showSymbol: points.length <= SYMBOLS_MAX,
      symbol: "circle",
      symbolSize: 6,
      lineStyle: { width: 2 },
      ...(isThinned && { sampling: "lttb" as const }),
    },
  });
  return ok(chart);
};

function toLineAxis(x: Column): { axis: LineAxis; positions: (number | null)[] } {
  if (x.type === "date") return { axis: "time", positions: toPositions(x) };
  if (x.type === "number") return { axis: "value", positions: toPositions(x) };
  const indexes = new Map<TableCell, number>();
  const positions = x.cells.map((cell) => {
    if (cell === null) return null;
    const position = indexes.get(cell) ?? indexes.size;
    indexes.set(cell, position);
    return position;
  });
  return { axis: Array.from(indexes.keys(), String), positions };
}

/** A number axis, a date axis, or labels that the points refer to by index in x. */
type LineAxis = "value" | "time" | readonly string[];

const LABEL_CHARACTERS_MAX = 16;
const SYMBOLS_MAX = 60;
/** About twice the plot width in pixels. More points could not be distinguished. */
const POINTS_DRAWN_MAX = 1_300;

const THINNED_NOTE =
  "There are more points than pixels, so the line was thinned with largest-triangle-three-buckets (LTTB), which keeps its shape.";

function buildXAxis(axis: LineAxis, name: string) {
  if (axis === "value") return { ...buildValueAxis(name, "x"), scale: true, axisLine: AXIS_LINE };
  const style = buildLabelAxis(name, "x", { hideOverlap: true });
  if (axis === "time") return { type: "time" as const, ...style };
  const data = axis.map((label) => toChartLabel(label, LABEL_CHARACTERS_MAX));
  return { type: "category" as const, data, boundaryGap: false, ...style };
}

function describeLine(points: readonly ChartPoint[]): string {
  const ys = points.map(([, y]) => y);
  const count = formatCount(points.length, "point");
  const figures = [ys[0], ys.at(-1), ...extent(ys)].map((figure) => formatFigure(figure ?? 0));
  const [first, last, lowest, highest] = figures;
  return `${count} from ${first} to ${last}; lowest ${lowest}, highest ${highest}.`;
}
