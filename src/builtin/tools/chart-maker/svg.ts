import { init, use, type ComposeOption } from "echarts/core";
import {
  BarChart,
  type BarSeriesOption,
  CustomChart,
  type CustomSeriesOption,
  LineChart,
  type LineSeriesOption,
  ScatterChart,
  type ScatterSeriesOption,
} from "echarts/charts";
import {
  type GridComponentOption,
  GridSimpleComponent,
  type LegendComponentOption,
  LegendPlainComponent,
  TitleComponent,
  type TitleComponentOption,
} from "echarts/components";
import { SVGRenderer } from "echarts/renderers";
import type { JsonObject } from "../../../kernel/json.ts";
import {
  buildGridOption,
  buildLegendOption,
  buildTitleOption,
  CHART_HEIGHT_PX,
  CHART_WIDTH_PX,
  SERIES_COLOURS,
  TEXT_COLOUR,
  AXIS_LINE,
  buildAxisName,
  MUTED_TEXT_COLOUR,
} from "./style.ts";

export type ChartOption = ComposeOption<
  | BarSeriesOption
  | CustomSeriesOption
  | LineSeriesOption
  | ScatterSeriesOption
  | GridComponentOption
  | LegendComponentOption
  | TitleComponentOption
>;

/** A chart before it is drawn: the size in pixels, and a description for screen readers. */
export interface ChartSpec {
  readonly option: ChartOption;
  readonly width: number;
  readonly height: number;
  readonly description: string;
}

interface ChartContent extends Pick<ChartOption, "xAxis" | "yAxis" | "series"> {
  readonly title: string;
  readonly description: string;
  readonly legendNames?: readonly string[];
  readonly height?: number;
}

/** A chart with a title and, if there are names, a legend; `description` is without the title. */
export function createChart(
  kind: string,
  { title, description, legendNames = [], height = CHART_HEIGHT_PX, ...content }: ChartContent,
): ChartSpec {
  const option: ChartOption = {
    title: buildTitleOption(title),
    ...(legendNames.length > 0 && { legend: buildLegendOption() }),
    grid: buildGridOption(legendNames),
    ...content,
  };
  return {
    option,
    width: CHART_WIDTH_PX,
    height,
    description: `${kind}. ${title}. ${description}`,
  };
}

/** An axis of dates or labels. */
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

/** ECharts lays text out by Arial's widths, which these fonts share. */
const FONTS = "Arial, Liberation Sans, Helvetica, sans-serif";

export function buildChartResult(
  chart: ChartSpec,
  points: number,
  notes: readonly string[],
): JsonObject {
  const { width, height } = chart;
  return { svg: renderChartSvg(chart), width, height, points, notes: [...notes] };
}

/** The chart as a self-contained SVG 1.1 text; the same chart always gives the same text. */
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
    const text = escapeXmlText(description);
    return svg.replace(
      /^<svg ([^>]*)>/,
      (_, attributes: string) =>
        `<svg ${attributes} role="img" aria-label="${text}">\n<title>${text}</title>`,
    );
  } finally {
    chart.dispose();
  }
}

function escapeXmlText(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
    .replaceAll("'", "&#39;");
}

/** Removes interaction styles and the number of the drawing. Labels cannot match: ECharts escapes < and " in them. */
const SVG_REPLACEMENTS: readonly (readonly [found: RegExp, by: string])[] = [
  [/<style >[^]*?<\/style>\n?/g, ""],
  [/ class="zr\d+-cls-\d+"/g, ""],
  [/ ecmeta_[a-z_]+="[^"<]*"/g, ""],
  [/ pointer-events="visible"/g, ""],
  [/( id="|="url\(#)zr\d+-/g, "$1chart-"],
  [/<text dominant-baseline="central"/g, '<text dy="0.35em"'],
];
