import { figureText, labelOf } from "./label.ts";
import { axisLine, axisName, gridOption, HEIGHT, titleOption, valueAxis, WIDTH } from "./layout.ts";
import type { Point } from "./points.ts";
import type { Chart, ChartOption } from "./svg.ts";
import { MUTED } from "./theme.ts";

/** Numbers, dates, or the texts whose indexes the points' x are. */
export type LineAxis = "value" | "time" | readonly string[];

export interface LineChart {
  readonly points: readonly Point[];
  readonly axis: LineAxis;
  readonly xName: string;
  readonly yName: string;
  readonly title: string;
}

const LABEL_CHARACTERS_MAX = 16;
const SYMBOLS_MAX = 60;
/** Twice as many as the plot is wide in pixels: more cannot be told apart. */
const POINTS_DRAWN_MAX = 1_300;

export const THINNED_NOTE =
  "There are more points than pixels: the line is thinned by largest-triangle-three-buckets (LTTB), which keeps its shape.";

export function isThinned(points: readonly Point[]): boolean {
  return points.length > POINTS_DRAWN_MAX;
}

export function lineChart({ points, axis, xName, yName, title }: LineChart): Chart {
  const option: ChartOption = {
    title: titleOption(title),
    grid: gridOption(),
    xAxis: xAxisOf(axis, xName),
    yAxis: { ...valueAxis(yName, "y"), scale: true },
    series: {
      type: "line",
      silent: true,
      emphasis: { disabled: true },
      data: points.map((point) => [...point]),
      showSymbol: points.length <= SYMBOLS_MAX,
      symbol: "circle",
      symbolSize: 6,
      lineStyle: { width: 2 },
      ...(isThinned(points) && { sampling: "lttb" as const }),
    },
  };
  return { option, width: WIDTH, height: HEIGHT, description: describe(points, title) };
}

function xAxisOf(axis: LineAxis, name: string): NonNullable<ChartOption["xAxis"]> {
  if (axis === "value") return { ...valueAxis(name, "x"), scale: true, axisLine };
  const look = {
    ...axisName(name, "x"),
    axisLabel: { color: MUTED, hideOverlap: true },
    axisTick: { show: false },
    axisLine,
  };
  if (axis === "time") return { type: "time", ...look };
  const data = axis.map((label) => labelOf(label, LABEL_CHARACTERS_MAX));
  return { type: "category", data, boundaryGap: false, ...look };
}

function describe(points: readonly Point[], title: string): string {
  const ys = points.map(([, y]) => y);
  const count = `${points.length} ${points.length === 1 ? "point" : "points"}`;
  const [first, last] = [ys.at(0) ?? 0, ys.at(-1) ?? 0].map(figureText);
  const lowest = figureText(ys.reduce((one, other) => Math.min(one, other)));
  const highest = figureText(ys.reduce((one, other) => Math.max(one, other)));
  return `Line chart. ${title}. ${count} from ${first} to ${last}; lowest ${lowest}, highest ${highest}.`;
}
