import { formatTick } from "./labels.ts";
import {
  AXIS_LINE,
  buildGridOption,
  buildTitleOption,
  buildValueAxis,
  CHART_HEIGHT_PX,
  CHART_WIDTH_PX,
  OTHER_COLOUR,
  SERIES_COLOURS,
} from "./style.ts";
import type { ChartSpec, ChartOption } from "./svg.ts";
import { bin, thresholdFreedmanDiaconis, thresholdSturges } from "d3-array";
import type { Json, JsonObject } from "../../../kernel/json.ts";
import { preview, type Problem } from "../../../kernel/problem.ts";
import { fail, ok, type Result } from "../../../kernel/result.ts";
import { readTable } from "../table/table.ts";
import * as inputs from "./parameters.ts";
import { renderChartSvg } from "./svg.ts";

const REQUESTED_BINS_MAX = 100;
/** Edges are told to a thousandth of a bin's width, which four digits of a large one would lose. */
const EDGE_DIGITS = 3;
const DECIMALS_MAX = 15;

/**
 * `{csv | data, column, bins?, title?}` → `{svg, width, height, points, bins: [{from, to, count}],
 * rule, notes}`; `points` counts the values, `rule` says how the number of bins was chosen.
 */
export async function drawHistogram(
  parameters: JsonObject,
): Promise<Result<JsonObject, Problem[]>> {
  const table = await readTable(parameters);
  const title = inputs.parseChartTitle(parameters["title"]);
  const asked = parseBinCount(parameters["bins"]);
  if (!table.ok) return fail([...table.failure, ...inputs.collectProblems([asked, title])]);
  const column = inputs.findTypedColumn(table.value, parameters, "column", ["number"]);
  if (!column.ok || !title.ok || !asked.ok) {
    return fail(inputs.collectProblems([column, asked, title]));
  }
  const values = column.value.cells.filter((cell) => typeof cell === "number");
  if (values.length === 0) return fail([inputs.createNoRowProblem("column", [column.value])]);
  const undrawable = inputs.checkDrawable("column", column.value, values);
  if (undrawable.length > 0) return fail(undrawable);
  const { bins, rule } = computeBins(values, asked.value);
  const name = inputs.toColumnLabel(column.value);
  const chart = buildHistogram({ bins, name, title: title.value ?? `Distribution of ${name}` });
  const missing = column.value.cells.length - values.length;
  const single = asked.value !== null && bins.length < asked.value;
  return ok({
    svg: renderChartSvg(chart),
    width: chart.width,
    height: chart.height,
    points: values.length,
    bins: bins.map(toBinFigures),
    rule,
    notes: [
      ...table.value.notes,
      ...inputs.buildLeftOutNotes([column.value], missing),
      ...(single ? ["The values do not differ enough for several bins."] : []),
    ],
  });
}

function parseBinCount(value: Json | undefined): Result<number | null, Problem> {
  if (value === undefined) return ok(null);
  if (
    typeof value === "number" &&
    Number.isInteger(value) &&
    value >= 1 &&
    value <= REQUESTED_BINS_MAX
  ) {
    return ok(value);
  }
  const message = `must be a whole number from 1 to ${REQUESTED_BINS_MAX}, got ${preview(value)}`;
  return fail({ path: "bins", message });
}

function toBinFigures({ from, to, count }: HistogramBin): JsonObject {
  const decimals = Math.max(0, EDGE_DIGITS - Math.floor(Math.log10(to - from)));
  const round = (edge: number) =>
    decimals > DECIMALS_MAX ? edge : Number(edge.toFixed(decimals)) + 0;
  return { from: round(from), to: round(to), count };
}

/** Numbers from `from` up to, and in the last bin including, `to`. */
export interface HistogramBin {
  readonly from: number;
  readonly to: number;
  readonly count: number;
}

/** How the number of bins was chosen. */
export type BinRule = "Freedman–Diaconis" | "Sturges" | "as asked";

const AUTOMATIC_BINS_MAX = 60;
/** Edges closer together than this share of their size could not be told apart. */
const RELATIVE_WIDTH_MIN = 1e-14;
const EQUAL_HALF_WIDTH = 0.5;

/**
 * Bins of equal width over `values` (not empty): exactly `asked` from the smallest to the largest,
 * or, when null, about as many as Freedman and Diaconis advise, with round edges; as many as Sturges
 * advises where the quartiles coincide, and no narrower than 1 for whole numbers. Values that do not
 * differ make one bin.
 */
export function computeBins(
  values: readonly number[],
  asked: number | null,
): { bins: HistogramBin[]; rule: BinRule } {
  const least = values.reduce((one, other) => Math.min(one, other));
  const most = values.reduce((one, other) => Math.max(one, other));
  const advised = thresholdFreedmanDiaconis(values, least, most);
  const rule = asked !== null ? "as asked" : advised > 1 ? "Freedman–Diaconis" : "Sturges";
  const wanted = advised > 1 ? advised : thresholdSturges(values);
  // Narrower bins than one would leave gaps between whole numbers that are not in the data.
  const countMax = values.every(Number.isInteger) ? most - least + 1 : AUTOMATIC_BINS_MAX;
  const count = asked ?? Math.min(AUTOMATIC_BINS_MAX, countMax, wanted);
  const size = Math.max(Math.abs(least), Math.abs(most));
  if ((most - least) / count <= size * RELATIVE_WIDTH_MIN) {
    const half = Math.max(EQUAL_HALF_WIDTH, most - least, size * RELATIVE_WIDTH_MIN);
    return { bins: [{ from: least - half, to: most + half, count: values.length }], rule };
  }
  const binning = bin();
  if (asked === null) binning.thresholds(count);
  else binning.domain([least, most]).thresholds(computeInnerEdges(least, most, count));
  const bins = binning(values).map((group) => {
    const [from, to] = [group.x0 ?? least, group.x1 ?? most];
    return { from, to, count: group.length };
  });
  return { bins, rule };
}

function computeInnerEdges(least: number, most: number, count: number): number[] {
  const width = (most - least) / count;
  return Array.from({ length: count - 1 }, (_, index) => least + (index + 1) * width);
}

export interface HistogramContent {
  readonly bins: readonly HistogramBin[];
  readonly name: string;
  readonly title: string;
}

type CustomSeries = Extract<NonNullable<ChartOption["series"]>, { type?: "custom" }>;
type RenderItem = NonNullable<CustomSeries["renderItem"]>;

const BIN_GAP_PX = 1;

export function buildHistogram({ bins, name, title }: HistogramContent): ChartSpec {
  const option: ChartOption = {
    title: buildTitleOption(title),
    grid: buildGridOption(),
    xAxis: {
      ...buildValueAxis(name, "x"),
      scale: true,
      axisLine: AXIS_LINE,
      splitLine: { show: false },
    },
    yAxis: { ...buildValueAxis("Rows", "y"), minInterval: 1 },
    series: {
      type: "custom",
      silent: true,
      encode: { x: [0, 1], y: 2 },
      data: bins.map(({ from, to, count }) => [from, to, count]),
      renderItem: drawBin,
    },
  };
  return {
    option,
    width: CHART_WIDTH_PX,
    height: CHART_HEIGHT_PX,
    description: describeHistogram(bins, title),
  };
}

function drawBin(...[, api]: Parameters<RenderItem>): ReturnType<RenderItem> {
  const [left = 0, top = 0] = api.coord([api.value(0), api.value(2)]);
  const [right = 0, bottom = 0] = api.coord([api.value(1), 0]);
  return {
    type: "rect",
    shape: {
      x: left,
      y: top,
      width: Math.max(BIN_GAP_PX, right - left - BIN_GAP_PX),
      height: bottom - top,
    },
    style: { fill: SERIES_COLOURS[0] ?? OTHER_COLOUR },
  };
}

function describeHistogram(bins: readonly HistogramBin[], title: string): string {
  const fullest = bins.reduce((most, nextBin) => (nextBin.count > most.count ? nextBin : most));
  const count = `${bins.length} ${bins.length === 1 ? "bin" : "bins"}`;
  const [from, to] = [formatTick(fullest.from), formatTick(fullest.to)];
  return `Histogram. ${title}. ${count}; the fullest, from ${from} to ${to}, has ${fullest.count} rows.`;
}
