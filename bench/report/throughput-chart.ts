import type { BarSeriesOption, CustomSeriesOption } from "echarts/charts";
import { MUTED_TEXT_COLOUR, TEXT_COLOUR } from "../../src/builtin/tools/chart-maker/style.ts";
import {
  AXIS_LINE,
  buildValueAxis,
  renderChartSvg,
  type ChartOption,
} from "../../src/builtin/tools/chart-maker/svg.ts";
import type { Entry, Work } from "../results.ts";
import { barColour } from "./colours.ts";
import { measured } from "./digits.ts";
import {
  heightOf,
  label,
  longLabel,
  ROW_HEIGHT,
  rowsGrid,
  titleOption,
  WIDTH,
  type Drawing,
} from "./drawing.ts";
import type { Group } from "./groups.ts";

/** A row of the chart: the name of an operation, or a bar. */
interface Row {
  readonly work: Work;
  readonly bar: Entry | null;
}

/** The baseline's throughput for an operation, drawn as a line across all of its bars. */
interface Limit {
  readonly perSecond: number;
  readonly first: number;
  readonly last: number;
}

/** A chart of throughput by contestant, with a line at the baseline of each operation. */
export function throughputChart({ id, title, works }: Group): Drawing {
  const rows = works.flatMap((work) => rowsOf(work, works.length > 1));
  const units = new Set(works.map(({ unit }) => (unit === "life" ? "lifecycles" : "requests")));
  const unit = `${[...units].join(" or ")} per second`;
  const limits = works.flatMap((work) => limitOf(work, rows));
  const marked = limits.length === 0 ? "" : "; the dashed line is the baseline";
  const named = rows.flatMap(({ work, bar }, place) =>
    bar === null ? [{ place, name: longLabel(work.title) }] : [],
  );
  const option: ChartOption = {
    title: titleOption(`${title}: throughput`, `${unit}, higher is better${marked}`),
    grid: rowsGrid(),
    xAxis: { ...buildValueAxis(unit, "x"), min: 0 },
    yAxis: [
      rowsAxis(
        rows.map(({ bar }) => (bar === null ? "" : label(bar.contestant))),
        MUTED_TEXT_COLOUR,
      ),
      // The figures are next to the plot, where the baseline's line cannot cross them.
      {
        ...rowsAxis(rows.map(figureOf), TEXT_COLOUR),
        position: "right",
        axisLine: { show: false },
      },
    ],
    series: [barsOf(rows), limitLines(limits), names(named)],
  };
  const description = `${title}: throughput by contestant, in ${unit}; the table contains the same figures.`;
  const height = heightOf(rows.length);
  return {
    name: id,
    description,
    svg: renderChartSvg({ option, width: WIDTH, height, description }),
  };
}

function rowsOf(work: Work, isNamed: boolean): Row[] {
  const bars = work.entries.map((bar) => ({ work, bar }));
  return isNamed ? [{ work, bar: null }, ...bars] : bars;
}

function limitOf({ entries, reference }: Work, rows: readonly Row[]): Limit[] {
  const limit = entries.find(({ contestant }) => contestant === reference);
  if (limit === undefined) return [];
  const places = entries.map((entry) => rows.findIndex(({ bar }) => bar === entry));
  const { perSecond } = limit.figures;
  return [{ perSecond, first: Math.min(...places), last: Math.max(...places) }];
}

function rowsAxis(data: string[], color: string) {
  return {
    type: "category" as const,
    inverse: true,
    data,
    axisTick: { show: false },
    axisLine: AXIS_LINE,
    axisLabel: { interval: 0, color },
  };
}

function figureOf({ work, bar }: Row): string {
  if (bar === null) return "";
  const { perSecond, ratio } = bar.figures;
  if (ratio === null) return measured(perSecond);
  return `${measured(perSecond)} (${measured(ratio.median)} × ${label(work.reference ?? "")})`;
}

function barsOf(rows: readonly Row[]): BarSeriesOption {
  return {
    type: "bar",
    silent: true,
    emphasis: { disabled: true },
    barCategoryGap: "28%",
    data: rows.map(({ work, bar }) =>
      bar === null
        ? "-"
        : {
            value: bar.figures.perSecond,
            itemStyle: { color: barColour(bar.contestant, work.reference) },
          },
    ),
  };
}

function limitLines(limits: readonly Limit[]): CustomSeriesOption {
  return {
    type: "custom",
    silent: true,
    z: 3,
    data: limits.map(({ perSecond, first, last }) => [perSecond, first, last]),
    encode: { x: 0, y: [1, 2] },
    renderItem(_, api) {
      const [x = 0, top = 0] = api.coord([api.value(0), api.value(1)]);
      const [, bottom = 0] = api.coord([api.value(0), api.value(2)]);
      const half = ROW_HEIGHT / 2;
      return {
        type: "line",
        shape: { x1: x, x2: x, y1: top - half, y2: bottom + half },
        style: { stroke: TEXT_COLOUR, lineWidth: 1.5, lineDash: [4, 3] },
      };
    },
  };
}

/** Draws the names of the operations inside the plot, above their bars, where there is enough room. */
function names(named: readonly { place: number; name: string }[]): CustomSeriesOption {
  return {
    type: "custom",
    silent: true,
    z: 4,
    data: named.map(({ place }) => [0, place]),
    encode: { x: 0, y: 1 },
    renderItem({ dataIndex }, api) {
      const [x = 0, y = 0] = api.coord([0, api.value(1)]);
      return {
        type: "text",
        x: x + 6,
        y: y + 2,
        style: {
          text: named[dataIndex]?.name ?? "",
          fill: TEXT_COLOUR,
          font: "600 12px Arial, Liberation Sans, Helvetica, sans-serif",
          verticalAlign: "middle",
          // Keeps the plot's grid lines from crossing the text.
          backgroundColor: "#FFFFFF",
          padding: [0, 3],
        },
      };
    },
  };
}
