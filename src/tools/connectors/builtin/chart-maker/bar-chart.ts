import { figureText, labelOf } from "./label.ts";
import {
  CHARACTER_WIDTH,
  axisLine,
  axisName,
  gridOption,
  HEIGHT,
  titleOption,
  valueAxis,
  WIDTH,
} from "./layout.ts";
import type { Chart, ChartOption } from "./svg.ts";
import { INK, MUTED, PALETTE, REST_COLOUR } from "./theme.ts";
import type { Bar } from "./bars.ts";

/** What a bar chart shows and what its axes are called. */
export interface BarChart {
  readonly bars: readonly Bar[];
  readonly folded: number;
  readonly labelName: string;
  readonly valueName: string;
  readonly title: string;
}

const LABEL_CHARACTERS_MAX = 28;
const PLOT_WIDTH = 620;
const TEXT_GAP = 10;
/** Room beyond the bars for their figures, as a share of the axis. */
const FIGURE_ROOM = "8%";
const ROW_HEIGHT = 26;
const ROWS_TOP = 130;

/** Upright bars where their labels fit below, else lying ones, as high as they need. */
export function barChart({ bars, folded, labelName, valueName, title }: BarChart): Chart {
  const labels = bars.map(({ label }) => labelOf(label ?? "", LABEL_CHARACTERS_MAX));
  const figures = bars.map(({ value }) => figureText(value));
  const lying = widthOf([...labels, ...figures]) > PLOT_WIDTH / bars.length;
  const labelAxis = {
    type: "category" as const,
    data: labels,
    ...axisName(labelName, lying ? "y" : "x"),
    ...(lying && { inverse: true, nameLocation: "start" as const }),
    axisLabel: { color: MUTED, interval: 0 },
    axisTick: { show: false },
    axisLine,
  };
  const isNegative = bars.some(({ value }) => value < 0);
  const numberAxis = {
    ...valueAxis(valueName, lying ? "x" : "y"),
    boundaryGap: [isNegative ? FIGURE_ROOM : 0, FIGURE_ROOM] satisfies [number | string, string],
  };
  const option: ChartOption = {
    title: titleOption(title),
    grid: gridOption(),
    xAxis: lying ? numberAxis : labelAxis,
    yAxis: lying ? labelAxis : numberAxis,
    series: {
      type: "bar",
      silent: true,
      emphasis: { disabled: true },
      label: {
        show: true,
        position: "outside",
        color: INK,
        formatter: ({ value }) => figureText(Number(value)),
      },
      barMaxWidth: 72,
      barCategoryGap: "30%",
      data: bars.map(({ value }, index) => ({
        value,
        itemStyle: {
          color:
            folded > 0 && index === bars.length - 1 ? REST_COLOUR : (PALETTE[0] ?? REST_COLOUR),
        },
      })),
    },
  };
  return {
    option,
    width: WIDTH,
    height: lying ? Math.max(HEIGHT / 2, ROWS_TOP + ROW_HEIGHT * bars.length) : HEIGHT,
    description: `Bar chart. ${title}. ${summary(bars)}`,
  };
}

/** What the widest of the texts takes, roughly: wide scripts take more, and are rare. */
function widthOf(texts: readonly string[]): number {
  return TEXT_GAP + Math.max(...texts.map((text) => Array.from(text).length * CHARACTER_WIDTH));
}

function summary(bars: readonly Bar[]): string {
  const count = `${bars.length} ${bars.length === 1 ? "bar" : "bars"}`;
  const highest = bars.reduce((most, bar) => (bar.value > most.value ? bar : most));
  const lowest = bars.reduce((least, bar) => (bar.value < least.value ? bar : least));
  return `${count}; highest: ${told(highest)}; lowest: ${told(lowest)}.`;
}

function told({ label, value }: Bar): string {
  return `${labelOf(label ?? "", LABEL_CHARACTERS_MAX)}, ${figureText(value)}`;
}
