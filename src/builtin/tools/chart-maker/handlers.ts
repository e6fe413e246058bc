import type { CapabilityHandlers } from "../../../tools/connectors/contract.ts";
import { drawBarChart } from "./bar-chart.ts";
import { drawHistogram } from "./histogram.ts";
import { drawLineChart } from "./line-chart.ts";
import { drawScatterPlot } from "./scatter-plot.ts";

export const chartMakerHandlers: CapabilityHandlers = {
  bar: drawBarChart,
  line: drawLineChart,
  scatter: drawScatterPlot,
  histogram: drawHistogram,
};
