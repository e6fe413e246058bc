import type { EChartsOption } from "echarts";
import { format, init, use } from "echarts/core";
import { BarChart, CustomChart, LineChart, ScatterChart } from "echarts/charts";
import { GridSimpleComponent, LegendPlainComponent, TitleComponent } from "echarts/components";
import { SVGRenderer } from "echarts/renderers";
import type { JsonObject } from "../../../kernel/json.ts";
import {
  CHARACTER_WIDTH_PX,
  CHART_HEIGHT_PX,
  CHART_WIDTH_PX,
  formatTick,
  GRID_COLOUR,
  MUTED_TEXT_COLOUR,
  SERIES_COLOURS,
  TEXT_COLOUR,
} from "./style.ts";

export type ChartOption = EChartsOption;

/** A chart to draw. The size is in pixels; the description is for screen readers. */
interface ChartSpec {
  readonly option: ChartOption;
  readonly width: number;
  readonly height: number;
  readonly description: string;
}

export interface ChartContent extends Pick<ChartOption, "xAxis" | "yAxis" | "series"> {
  readonly title: string;
  readonly description: string;
  readonly legendNames?: readonly string[];
  readonly height?: number;
  readonly points: number;
  readonly notes: string[];
}

/**
 * Draws a chart and returns `{svg, width, height, points, notes}`. A title that is too long is truncated, and a legend
 * is drawn if there are names. The plot and its labels lie inside the margins. `description` must not repeat the title.
 */
export function drawChart(
  kind: string,
  {
    title,
    description: text,
    legendNames = [],
    height = CHART_HEIGHT_PX,
    points,
    notes,
    ...content
  }: ChartContent,
): JsonObject {
  const option: ChartOption = {
    title: {
      text: title,
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
    },
    ...(legendNames.length > 0 && {
      legend: {
        left: MARGIN_PX,
        top: TITLE_TOP_PX + 28,
        padding: 0,
        itemGap: 16,
        itemWidth: 12,
        itemHeight: 12,
        textStyle: { color: TEXT_COLOUR },
      },
    }),
    grid: {
      left: MARGIN_PX,
      right: MARGIN_PX + 8,
      top: PLOT_TOP_PX + countLegendLines(legendNames) * LEGEND_LINE_PX,
      bottom: MARGIN_PX,
      outerBoundsMode: "same",
      outerBoundsContain: "all",
    },
    ...content,
  };
  const width = CHART_WIDTH_PX;
  const description = `${kind}. ${title}. ${text}`;
  return {
    svg: renderChartSvg({ option, width, height, description }),
    width,
    height,
    points,
    notes,
  };
}

const AXIS_COLOUR = "#9AA3AD";
const MARGIN_PX = 20;
const TITLE_TOP_PX = 16;
/** Bold text is wider than ECharts estimates. */
const TITLE_WIDTH_PX = 0.92 * (CHART_WIDTH_PX - 2 * MARGIN_PX);
const PLOT_TOP_PX = 52;
const LEGEND_LINE_PX = 26;
const LEGEND_ITEM_WIDTH_PX = 36;

function countLegendLines(names: readonly string[]): number {
  let lines = Math.min(names.length, 1);
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

function buildAxisName(name: string, side: "x" | "y") {
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

/** An axis for dates or labels. */
export function buildLabelAxis(
  name: string,
  side: "x" | "y",
  labels: { readonly hideOverlap: true } | { readonly interval: 0 },
) {
  return {
    ...buildAxisName(name, side),
    axisLabel: { color: MUTED_TEXT_COLOUR, ...labels },
    axisTick: { show: false },
    axisLine: AXIS_LINE,
  };
}

use([
  BarChart,
  CustomChart,
  GridSimpleComponent,
  LegendPlainComponent,
  LineChart,
  ScatterChart,
  SVGRenderer,
  TitleComponent,
]);

/** ECharts lays out text using Arial's character widths, which the other two named fonts share. */
const FONTS = "Arial, Liberation Sans, Helvetica, sans-serif";

/** Renders a chart as self-contained SVG 1.1. The same chart always produces the same SVG. */
export function renderChartSvg({ option, width, height, description }: ChartSpec): string {
  const chart = init(null, null, { renderer: "svg", ssr: true, width, height });
  try {
    chart.setOption({
      animation: false,
      backgroundColor: "#FFFFFF",
      color: SERIES_COLOURS,
      useUTC: true,
      textStyle: { color: TEXT_COLOUR, fontFamily: FONTS, fontSize: 12 },
      ...option,
    });
    const svg = SVG_REPLACEMENTS.reduce(
      (text, [found, by]) => text.replace(found, by),
      chart.renderToSVGString(),
    );
    const text = format.encodeHTML(description);
    return svg.replace(
      /^<svg ([^>]*)>/,
      (_, attributes: string) =>
        `<svg ${attributes} role="img" aria-label="${text}">\n<title>${text}</title>`,
    );
  } finally {
    chart.dispose();
  }
}

/**
 * Removes interaction styles and the number of the drawing, and centres text vertically with `dy`. Labels cannot match
 * because ECharts escapes < and " in them.
 */
const SVG_REPLACEMENTS: readonly (readonly [found: RegExp, by: string])[] = [
  [/<style >[^]*?<\/style>\n?/g, ""],
  [/ class="zr\d+-cls-\d+"/g, ""],
  [/ ecmeta_[a-z_]+="[^"<]*"/g, ""],
  [/ pointer-events="visible"/g, ""],
  [/( id="|="url\(#)zr\d+-/g, "$1chart-"],
  [/<text dominant-baseline="central"/g, '<text dy="0.35em"'],
];
