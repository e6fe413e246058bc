import type { ToolDefinition } from "../../../tools/model/tool.ts";
import { defineParameters, TABLE_PARAMETERS } from "../parameters.ts";

const TITLE_PARAMETER = {
  "title?: string":
    "The chart title, at most 200 characters. By default, it is generated from the column names.",
} as const;

export const chartMaker: ToolDefinition = {
  id: "chart-maker",
  name: "Chart maker",
  category: "creative",
  description:
    "Draws a table as a self-contained SVG chart in colour-blind-safe colours. The same table always produces the same bytes. Rows with missing values are omitted.",
  documentation: "https://echarts.apache.org/handbook/en/how-to/cross-platform/server",
  authentication: { type: "none", scopes: [] },
  rateLimit: { requests: 5000, period: "hour" },
  pricing: { model: "usage", free: 1000, overage: 0.002 },
  capabilities: [
    {
      id: "bar",
      name: "Bar chart",
      description:
        "Draws one bar per label: the mean, sum or count of a number column, or the number of rows. If there are more than 30 labels, the smallest bars are combined into one.",
      parameters: defineParameters({
        ...TABLE_PARAMETERS,
        "x: string": "The column that contains the labels.",
        "y?: string":
          "The number column. If omitted, each bar shows the number of rows with its label.",
        "aggregate?: string":
          "How to aggregate the rows of a bar: mean (the default with y), sum or count.",
        ...TITLE_PARAMETER,
      }),
    },
    {
      id: "line",
      name: "Line chart",
      description:
        "Plots a number column against numbers or dates in ascending order, or against text labels in row order. If x values repeat, the line shows their mean.",
      parameters: defineParameters({
        ...TABLE_PARAMETERS,
        "x: string": "The column for the x axis: numbers, ISO 8601 dates or text.",
        "y: string": "The number column along the y axis.",
        ...TITLE_PARAMETER,
      }),
    },
    {
      id: "scatter",
      name: "Scatter plot",
      description:
        "Draws one dot per row, positioned by two numbers or by a date and a number. If there are more than 2,000 rows, an evenly spaced sample is drawn.",
      parameters: defineParameters({
        ...TABLE_PARAMETERS,
        "x: string": "The column for the x axis: numbers or ISO 8601 dates.",
        "y: string": "The number column along the y axis.",
        "colour?: string":
          "The column whose values determine the dot colours. If there are more than six values, the rarest are grey.",
        ...TITLE_PARAMETER,
      }),
    },
    {
      id: "histogram",
      name: "Histogram",
      description:
        "Shows how many values of a number column fall into each of several bins of equal width. By default, the number of bins follows the Freedman–Diaconis rule.",
      parameters: defineParameters({
        ...TABLE_PARAMETERS,
        "column: string": "The number column.",
        "bins?: number": "The number of bins, a whole number from 1 to 100.",
        ...TITLE_PARAMETER,
      }),
    },
  ],
};
