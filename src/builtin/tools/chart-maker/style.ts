import type {
  GridComponentOption,
  LegendComponentOption,
  TitleComponentOption,
} from "echarts/components";
import { toSingleLine } from "../../../kernel/text.ts";

/** Okabe and Ito's colours, safe for the colour-blind; yellow is left out as too faint on white. */
export const SERIES_COLOURS = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9"];
/** For folded and missing values. */
export const OTHER_COLOUR = "#8A8A8A";

export const TEXT_COLOUR = "#1F2328";
export const MUTED_TEXT_COLOUR = "#57606A";
export const GRID_COLOUR = "#E3E6EA";
const AXIS_COLOUR = "#9AA3AD";

export const CHART_WIDTH_PX = 720;
export const CHART_HEIGHT_PX = 440;

const MARGIN_PX = 20;
const TITLE_TOP_PX = 16;
/** Bold text is wider than it is measured. */
const TITLE_WIDTH_PX = 0.92 * (CHART_WIDTH_PX - 2 * MARGIN_PX);
const PLOT_TOP_PX = 52;
const LEGEND_LINE_PX = 26;
const LEGEND_ITEM_WIDTH_PX = 36;
/** The approximate width of a character at twelve pixels. */
export const CHARACTER_WIDTH_PX = 7;

/** The chart's title at the top left; too long a one is cut. */
export function buildTitleOption(text: string): TitleComponentOption {
  return {
    text,
    left: MARGIN_PX,
    top: TITLE_TOP_PX,
    padding: 0,
    textStyle: {
      color: TEXT_COLOUR,
      fontSize: 16,
      fontWeight: 600,
      width: TITLE_WIDTH_PX,
      overflow: "truncate",
    },
  };
}

/** The plot, its labels and axis names, inside the margins and below the legend of these names. */
export function buildGridOption(legendNames: readonly string[] = []): GridComponentOption {
  const lines = legendNames.length === 0 ? 0 : countLegendLines(legendNames);
  return {
    left: MARGIN_PX,
    right: MARGIN_PX + 8,
    top: PLOT_TOP_PX + lines * LEGEND_LINE_PX,
    bottom: MARGIN_PX,
    outerBoundsMode: "same",
    outerBoundsContain: "all",
  };
}

function countLegendLines(names: readonly string[]): number {
  let lines = 1;
  let used = 0;
  for (const name of names) {
    const width = LEGEND_ITEM_WIDTH_PX + Array.from(name).length * CHARACTER_WIDTH_PX;
    if (used + width > CHART_WIDTH_PX - 2 * MARGIN_PX) {
      lines += 1;
      used = 0;
    }
    used += width;
  }
  return lines;
}

export function buildLegendOption(): LegendComponentOption {
  return {
    left: MARGIN_PX,
    top: TITLE_TOP_PX + 28,
    padding: 0,
    itemGap: 16,
    itemWidth: 12,
    itemHeight: 12,
    textStyle: { color: TEXT_COLOUR },
  };
}

export function buildValueAxis(name: string, side: "x" | "y") {
  return {
    type: "value" as const,
    ...buildAxisName(name, side),
    axisLabel: { color: MUTED_TEXT_COLOUR, formatter: formatTick, hideOverlap: true },
    axisLine: { show: false, onZero: side === "x" },
    axisTick: { show: false },
    splitLine: { lineStyle: { color: GRID_COLOUR } },
  };
}

export function buildAxisName(name: string, side: "x" | "y") {
  return {
    name,
    nameTextStyle: {
      color: TEXT_COLOUR,
      align: side === "x" ? ("center" as const) : ("left" as const),
    },
    nameLocation: side === "x" ? ("middle" as const) : ("end" as const),
    nameGap: side === "x" ? 12 : 16,
  };
}

export const AXIS_LINE = { lineStyle: { color: AXIS_COLOUR } };

/**
 * Names that every object inherits. ZRender stores the widths of texts in a plain object, where the key "__proto__"
 * would change Object.prototype; an invisible space after the first letter prevents this.
 */
const INHERITED_PROPERTY_NAMES = new RegExp(
  Object.getOwnPropertyNames(Object.prototype).join("|"),
  "g",
);
const INVISIBLE_SPACE = "\u200b";

/** A text as one line of at most `charactersMax` characters, without inherited property names. */
export function toChartLabel(value: string | number | boolean, charactersMax: number): string {
  return toSingleLine(String(value), charactersMax)
    .toWellFormed()
    .replace(
      INHERITED_PROPERTY_NAMES,
      (name) => `${name.slice(0, 1)}${INVISIBLE_SPACE}${name.slice(1)}`,
    );
}

const COMPACT_FROM = 1_000_000;
const EXPONENT_FROM = 1e15;
const EXPONENT_BELOW = 1e-4;
/** The exact digits of a double; the ticks of an axis are round. */
const TICK_DIGITS = 15;
const FIGURE_DIGITS = 4;

/** A number at the tick of an axis: 2005, 15,000, 2.5M or 1e-7. */
export function formatTick(value: number): string {
  // Four digits are not grouped: they may be years.
  return formatNumber(value, TICK_DIGITS, "min2");
}

/** A figure in a chart, with four digits. */
export function formatFigure(value: number): string {
  return formatNumber(value, FIGURE_DIGITS, "always");
}

function formatNumber(
  value: number,
  maximumSignificantDigits: number,
  useGrouping: "always" | "min2",
): string {
  const size = Math.abs(value);
  if (size !== 0 && (size < EXPONENT_BELOW || size >= EXPONENT_FROM)) {
    return Number(value.toPrecision(maximumSignificantDigits)).toExponential();
  }
  const notation = size < COMPACT_FROM ? "standard" : "compact";
  const format = { notation, maximumSignificantDigits, useGrouping } as const;
  return new Intl.NumberFormat("en-US", format).format(value);
}
