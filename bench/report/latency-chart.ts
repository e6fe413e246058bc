import type { LineSeriesOption } from "echarts/charts";
import {
  GRID_COLOUR,
  MUTED_TEXT_COLOUR,
  TEXT_COLOUR,
  formatTick,
} from "../../src/builtin/tools/chart-maker/style.ts";
import {
  AXIS_LINE,
  renderChartSvg,
  type ChartOption,
} from "../../src/builtin/tools/chart-maker/svg.ts";
import { lineColour } from "./colours.ts";
import { isBosun } from "./contestants.ts";
import { whole } from "./digits.ts";
import { label, MARGIN, titleOption, WIDTH, type Drawing } from "./drawing.ts";
import { contestantsIn, entryOf, type ListKind, type Lists } from "./groups.ts";
import { isWide, linearScale, logScale } from "./scale.ts";

const COLUMNS = 3;
const PANEL_HEIGHT = 210;
const PANEL_HEAD = 40;
const PANEL_FOOT = 44;
/** The space to the left of a panel for its axis. */
const PANEL_LEFT = 44;
const LEGEND_TOP = 62;
const PANELS_TOP = 92;
const FOOT = 10;
const COMPACT = new Intl.NumberFormat("en-US", { notation: "compact" });

/** Charts the latency of a list page by directory size, with one panel per kind of list, all on the same scale. */
export function latencyChart({ kinds, sizes }: Lists): Drawing {
  const works = kinds.flatMap(({ bySize }) => [...bySize.values()]);
  const contestants = contestantsIn(works);
  const limits = new Set(works.map(({ reference }) => reference));
  // Bosun comes last, so that its line is drawn above the others.
  const order = contestants.toSorted((one, other) => Number(isBosun(one)) - Number(isBosun(other)));
  const times = works.flatMap(({ entries }) => entries.map(({ figures }) => figures.p50Ms));
  const isLog = isWide(times);
  const columns = Math.min(COLUMNS, kinds.length);
  const panelWidth = (WIDTH - 2 * MARGIN) / columns;
  const panels = kinds.map((kind, index) => ({
    kind,
    index,
    left: MARGIN + (index % columns) * panelWidth,
    top: PANELS_TOP + Math.floor(index / columns) * PANEL_HEIGHT,
  }));
  const subtext = `p50 in milliseconds${isLog ? " (log scale)" : ""} by the number of tasks in the directory, lower is better`;
  const option: ChartOption = {
    title: [
      titleOption("List tasks: latency", subtext),
      ...panels.map(({ kind, left, top }) => ({
        text: label(kind.title),
        left,
        top,
        padding: 0,
        textStyle: { color: TEXT_COLOUR, fontSize: 11, fontWeight: 600 },
      })),
    ],
    legend: {
      left: MARGIN,
      top: LEGEND_TOP,
      padding: 0,
      itemGap: 16,
      textStyle: { color: TEXT_COLOUR },
      data: contestants.map(label),
    },
    grid: panels.map(({ left, top }) => ({
      left: left + PANEL_LEFT,
      top: top + PANEL_HEAD,
      width: panelWidth - PANEL_LEFT - MARGIN,
      height: PANEL_HEIGHT - PANEL_HEAD - PANEL_FOOT,
      outerBoundsMode: "none" as const,
    })),
    xAxis: panels.map(({ index }) => ({ gridIndex: index, ...sizesAxis(sizes) })),
    yAxis: panels.map(({ index }) => ({
      gridIndex: index,
      ...timesAxis,
      ...(isLog ? logScale(times) : linearScale(times)),
    })),
    series: panels.flatMap(({ kind, index }) =>
      order.map((contestant) => ({
        ...lineOf(kind, contestant, sizes, lineColour(contestant, limits, contestants)),
        xAxisIndex: index,
        yAxisIndex: index,
      })),
    ),
  };
  const height = PANELS_TOP + Math.ceil(kinds.length / columns) * PANEL_HEIGHT + FOOT;
  const description = `List tasks: p50 in milliseconds by contestant, with ${sizes.map(whole).join(", ")} tasks in the directory; the table contains the same figures.`;
  const svg = renderChartSvg({ option, width: WIDTH, height, description });
  return { name: "list-latency", description, svg };
}

function sizesAxis(sizes: readonly number[]) {
  return {
    type: "category" as const,
    data: sizes.map((size) => COMPACT.format(size)),
    name: "tasks",
    nameLocation: "middle" as const,
    nameGap: 24,
    nameTextStyle: { color: TEXT_COLOUR },
    axisTick: { show: false },
    axisLine: AXIS_LINE,
    axisLabel: { color: MUTED_TEXT_COLOUR, interval: 0 },
  };
}

const timesAxis = {
  name: "ms",
  nameTextStyle: { color: TEXT_COLOUR, align: "right" as const },
  nameGap: 10,
  axisLabel: { color: MUTED_TEXT_COLOUR, formatter: formatTick },
  axisLine: { show: false },
  axisTick: { show: false },
  splitLine: { lineStyle: { color: GRID_COLOUR } },
};

function lineOf(
  { bySize }: ListKind,
  contestant: string,
  sizes: readonly number[],
  color: string,
): LineSeriesOption {
  return {
    type: "line",
    name: label(contestant),
    silent: true,
    emphasis: { disabled: true },
    symbol: "circle",
    symbolSize: 6,
    lineStyle: { color, width: isBosun(contestant) ? 3 : 2 },
    itemStyle: { color },
    data: sizes.map((size) => entryOf(bySize.get(size), contestant)?.figures.p50Ms ?? "-"),
  };
}
