import type { ToolDefinition } from "../../../tools/model/tool.ts";
import { defineParameters, TABLE_PARAMETERS } from "../parameters.ts";

const TITLE_PARAMETER = {
  "title?: string":
    "The chart's title, at most 200 characters; made from the columns when left out.",
} as const;

export const chartMaker: ToolDefinition = {
  id: "chart-maker",
  name: "Chart maker",
  category: "creative",
  description:
    "Draws tables as charts: self-contained SVG in colours safe for the colour-blind, the same bytes for the same table. Rows with missing values are left out.",
  documentation: "https://echarts.apache.org/handbook/en/how-to/cross-platform/server",
  authentication: { type: "none", scopes: [] },
  rateLimit: { requests: 5000, period: "hour" },
  pricing: { model: "usage", free: 1000, overage: 0.002 },
  capabilities: [
    {
      id: "bar",
      name: "Bar chart",
      description:
        "One bar for each label: the mean, sum or count of a number column, or the number of rows. Past 30 labels the smallest are folded into one bar.",
      parameters: defineParameters({
        ...TABLE_PARAMETERS,
        "x: string": "The column of labels.",
        "y?: string": "The number column; without it each bar counts the rows of its label.",
        "aggregate?: string": "What a bar shows of its rows: mean (default with y), sum or count.",
        ...TITLE_PARAMETER,
      }),
    },
    {
      id: "line",
      name: "Line chart",
      description:
        "A number column over numbers or dates in ascending order, or over texts in the order of the rows; where x repeats, the mean.",
      parameters: defineParameters({
        ...TABLE_PARAMETERS,
        "x: string": "The column along the x axis: numbers, ISO 8601 dates or texts.",
        "y: string": "The number column along the y axis.",
        ...TITLE_PARAMETER,
      }),
    },
    {
      id: "scatter",
      name: "Scatter plot",
      description:
        "A dot for each row at two numbers; of more than 2,000 rows an even sample is drawn.",
      parameters: defineParameters({
        ...TABLE_PARAMETERS,
        "x: string": "The column along the x axis: numbers or ISO 8601 dates.",
        "y: string": "The number column along the y axis.",
        "colour?: string": "The column whose values colour the dots; past six the rarest are grey.",
        ...TITLE_PARAMETER,
      }),
    },
    {
      id: "histogram",
      name: "Histogram",
      description:
        "How often the values of a number column fall into bins of equal width; by the Freedman–Diaconis rule when their number is left out.",
      parameters: defineParameters({
        ...TABLE_PARAMETERS,
        "column: string": "The number column.",
        "bins?: number": "How many bins, a whole number from 1 to 100.",
        ...TITLE_PARAMETER,
      }),
    },
  ],
};
