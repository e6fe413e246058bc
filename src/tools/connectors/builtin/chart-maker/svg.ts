import { init, use, type ComposeOption } from "echarts/core";
import { BarChart, CustomChart, LineChart, ScatterChart } from "echarts/charts";
import type {
  BarSeriesOption,
  CustomSeriesOption,
  LineSeriesOption,
  ScatterSeriesOption,
} from "echarts/charts";
import { GridSimpleComponent, LegendPlainComponent, TitleComponent } from "echarts/components";
import type {
  GridComponentOption,
  LegendComponentOption,
  TitleComponentOption,
} from "echarts/components";
import { SVGRenderer } from "echarts/renderers";
import { tidySvg } from "./tidy.ts";
import { INK, PALETTE } from "./theme.ts";

export type ChartOption = ComposeOption<
  | BarSeriesOption
  | CustomSeriesOption
  | LineSeriesOption
  | ScatterSeriesOption
  | GridComponentOption
  | LegendComponentOption
  | TitleComponentOption
>;

/** A chart before it is drawn: sizes in pixels, and what it says to those who do not see it. */
export interface Chart {
  readonly option: ChartOption;
  readonly width: number;
  readonly height: number;
  readonly description: string;
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

/** The chart as a self-contained SVG 1.1 text; the same chart always gives the same text. */
export function svgOf({ option, width, height, description }: Chart): string {
  const chart = init(null, null, { renderer: "svg", ssr: true, width, height });
  try {
    chart.setOption({
      animation: false,
      backgroundColor: "#FFFFFF",
      color: PALETTE,
      useUTC: true,
      textStyle: { color: INK, fontFamily: FONTS, fontSize: 12 },
      ...option,
    });
    const svg = tidySvg(chart.renderToSVGString());
    const text = xmlText(description);
    return svg.replace(
      /^<svg ([^>]*)>/,
      (_, attributes: string) =>
        `<svg ${attributes} role="img" aria-label="${text}">\n<title>${text}</title>`,
    );
  } finally {
    chart.dispose();
  }
}

function xmlText(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
    .replaceAll("'", "&#39;");
}
