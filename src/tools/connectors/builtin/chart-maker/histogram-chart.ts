import type { Bin } from "./bins.ts";
import { tickText } from "./label.ts";
import { axisLine, gridOption, HEIGHT, titleOption, valueAxis, WIDTH } from "./layout.ts";
import type { Chart, ChartOption } from "./svg.ts";
import { PALETTE, REST_COLOUR } from "./theme.ts";

export interface HistogramChart {
  readonly bins: readonly Bin[];
  readonly name: string;
  readonly title: string;
}

type Series = Extract<NonNullable<ChartOption["series"]>, { type?: "custom" }>;
type RenderItem = NonNullable<Series["renderItem"]>;

const GAP = 1;

export function histogramChart({ bins, name, title }: HistogramChart): Chart {
  const option: ChartOption = {
    title: titleOption(title),
    grid: gridOption(),
    xAxis: { ...valueAxis(name, "x"), scale: true, axisLine, splitLine: { show: false } },
    yAxis: { ...valueAxis("Rows", "y"), minInterval: 1 },
    series: {
      type: "custom",
      silent: true,
      encode: { x: [0, 1], y: 2 },
      data: bins.map(({ from, to, count }) => [from, to, count]),
      renderItem: drawBin,
    },
  };
  return { option, width: WIDTH, height: HEIGHT, description: describe(bins, title) };
}

function drawBin(...[, api]: Parameters<RenderItem>): ReturnType<RenderItem> {
  const [left = 0, top = 0] = api.coord([api.value(0), api.value(2)]);
  const [right = 0, bottom = 0] = api.coord([api.value(1), 0]);
  return {
    type: "rect",
    shape: { x: left, y: top, width: Math.max(GAP, right - left - GAP), height: bottom - top },
    style: { fill: PALETTE[0] ?? REST_COLOUR },
  };
}

function describe(bins: readonly Bin[], title: string): string {
  const fullest = bins.reduce((most, bin) => (bin.count > most.count ? bin : most));
  const count = `${bins.length} ${bins.length === 1 ? "bin" : "bins"}`;
  const [from, to] = [tickText(fullest.from), tickText(fullest.to)];
  return `Histogram. ${title}. ${count}; the fullest, from ${from} to ${to}, has ${fullest.count} rows.`;
}
