import type {
  GridComponentOption,
  LegendComponentOption,
  TitleComponentOption,
} from "echarts/components";
import { AXIS, INK, MUTED, RULE } from "./theme.ts";
import { tickText } from "./label.ts";

export const WIDTH = 720;
export const HEIGHT = 440;

const MARGIN = 20;
const TITLE_TOP = 16;
/** Bold text is wider than it is measured. */
const TITLE_WIDTH = 0.92 * (WIDTH - 2 * MARGIN);
const PLOT_TOP = 52;
const LEGEND_LINE = 26;
const LEGEND_ITEM_WIDTH = 36;
/** A usual character at twelve pixels, a little more than on average. */
export const CHARACTER_WIDTH = 7;

/** The chart's title at the top left; too long a one is cut. */
export function titleOption(text: string): TitleComponentOption {
  return {
    text,
    left: MARGIN,
    top: TITLE_TOP,
    padding: 0,
    textStyle: {
      color: INK,
      fontSize: 16,
      fontWeight: 600,
      width: TITLE_WIDTH,
      overflow: "truncate",
    },
  };
}

/** The plot, its labels and axis names, inside the margins and below the legend of these names. */
export function gridOption(legendNames: readonly string[] = []): GridComponentOption {
  const lines = legendNames.length === 0 ? 0 : legendLines(legendNames);
  return {
    left: MARGIN,
    right: MARGIN + 8,
    top: PLOT_TOP + lines * LEGEND_LINE,
    bottom: MARGIN,
    outerBoundsMode: "same",
    outerBoundsContain: "all",
  };
}

/** How many lines the legend takes; a little more than it needs does no harm. */
function legendLines(names: readonly string[]): number {
  let lines = 1;
  let used = 0;
  for (const name of names) {
    const width = LEGEND_ITEM_WIDTH + Array.from(name).length * CHARACTER_WIDTH;
    if (used + width > WIDTH - 2 * MARGIN) {
      lines += 1;
      used = 0;
    }
    used += width;
  }
  return lines;
}

export function legendOption(): LegendComponentOption {
  return {
    left: MARGIN,
    top: TITLE_TOP + 28,
    padding: 0,
    itemGap: 16,
    itemWidth: 12,
    itemHeight: 12,
    textStyle: { color: INK },
  };
}

/** An axis of numbers with thin rules across the plot. */
export function valueAxis(name: string, side: "x" | "y") {
  return {
    type: "value" as const,
    ...axisName(name, side),
    axisLabel: { color: MUTED, formatter: tickText, hideOverlap: true },
    axisLine: { show: false, onZero: side === "x" },
    axisTick: { show: false },
    splitLine: { lineStyle: { color: RULE } },
  };
}

export function axisName(name: string, side: "x" | "y") {
  return {
    name,
    nameTextStyle: { color: INK, align: side === "x" ? ("center" as const) : ("left" as const) },
    nameLocation: side === "x" ? ("middle" as const) : ("end" as const),
    nameGap: side === "x" ? 12 : 16,
  };
}

export const axisLine = { lineStyle: { color: AXIS } };
