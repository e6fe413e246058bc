import { FIRST_COLOUR, formatTick } from "./style.ts";
import type { CustomSeriesRenderItem } from "echarts";
import { bin, extent, thresholdFreedmanDiaconis, thresholdSturges } from "d3-array";
import type { JsonObject } from "../../../kernel/json.ts";
import type { CapabilityHandler } from "../../../tools/connectors/contract.ts";
import { formatCount } from "../../../kernel/text.ts";
import { fail, ok } from "../../../kernel/result.ts";
import { collectProblems, parseWholeNumber } from "../parameters.ts";
import { readTable } from "../table/table.ts";
import {
  buildChartNotes,
  checkDrawable,
  createNoRowProblem,
  findTypedColumn,
  parseChartTitle,
  toColumnLabel,
} from "./parameters.ts";
import { AXIS_LINE, buildValueAxis, drawChart } from "./svg.ts";

const BIN_LIMITS = [1, 100] as const;
/** Bin edges are rounded to within a thousandth of the bin width. */
const EDGE_DIGITS = 3;
const DECIMALS_MAX = 15;

/**
 * `{csv | data, column, bins?, title?}` → `{svg, width, height, points, bins: [{from, to, count}], rule, notes}`.
 * `points` is the number of values; `rule` states how the number of bins was chosen.
 */
export const drawHistogram: CapabilityHandler = async (parameters) => {
  const table = readTable(parameters);
  const title = parseChartTitle(parameters["title"]);
  const asked = parseWholeNumber("bins", parameters, BIN_LIMITS, null);
  if (!table.ok) return fail([...table.failure, ...collectProblems([asked, title])]);
  const column = findTypedColumn(table.value, parameters, "column", ["number"]);
  if (!column.ok || !title.ok || !asked.ok) return fail(collectProblems([column, asked, title]));
  const values = column.value.cells.filter((cell) => typeof cell === "number");
  if (values.length === 0) return fail([createNoRowProblem("column", [column.value])]);
  const undrawable = checkDrawable("column", column.value, values);
  if (undrawable.length > 0) return fail(undrawable);
  const { bins, rule } = computeBins(values, asked.value);
  const name = toColumnLabel(column.value);
  const missing = column.value.cells.length - values.length;
  const single = asked.value !== null && bins.length < asked.value;
  const more = single
    ? ["The values are too close together for the requested number of bins."]
    : [];
  const chart = drawChart("Histogram", {
    title: title.value ?? `Distribution of ${name}`,
    description: describeBins(bins),
    points: values.length,
    notes: buildChartNotes(table.value, [column.value], missing, more),
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
  });
  return ok({ ...chart, bins: bins.map(toBinFigures), rule });
};

function toBinFigures({ from, to, count }: HistogramBin): JsonObject {
  const decimals = Math.max(0, EDGE_DIGITS - Math.floor(Math.log10(to - from)));
  const round = (edge: number) =>
    decimals > DECIMALS_MAX ? edge : Number(edge.toFixed(decimals)) + 0;
  return { from: round(from), to: round(to), count };
}

/** A bin of numbers from `from` to `to`. Only the last bin includes `to`. */
interface HistogramBin {
  readonly from: number;
  readonly to: number;
  readonly count: number;
}

const AUTOMATIC_BINS_MAX = 60;
/** The minimum bin width relative to the values. */
const RELATIVE_WIDTH_MIN = 1e-14;
const EQUAL_HALF_WIDTH = 0.5;

/**
 * Computes bins of equal width. `asked` is the requested number of bins; if it is null, the number follows from the
 * Freedman–Diaconis rule, or from Sturges' rule if Freedman–Diaconis yields a single bin.
 */
function computeBins(
  values: readonly number[],
  asked: number | null,
): { bins: HistogramBin[]; rule: string } {
  const [least = 0, most = 0] = extent(values);
  const advised = thresholdFreedmanDiaconis(values, least, most);
  const rule = asked !== null ? "as asked" : advised > 1 ? "Freedman–Diaconis" : "Sturges";
  const wanted = advised > 1 ? advised : thresholdSturges(values);
  // Narrower bins would leave gaps between whole numbers.
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

const BIN_GAP_PX = 1;

const drawBin: CustomSeriesRenderItem = (_, api) => {
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
    style: { fill: FIRST_COLOUR },
  };
};

function describeBins(bins: readonly HistogramBin[]): string {
  const fullest = bins.reduce((most, nextBin) => (nextBin.count > most.count ? nextBin : most));
  const count = formatCount(bins.length, "bin");
  const [from, to] = [formatTick(fullest.from), formatTick(fullest.to)];
  return `${count}; the fullest, from ${from} to ${to}, has ${formatCount(fullest.count, "row")}.`;
}
