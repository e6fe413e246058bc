import type { ToolDefinition } from "../../../tools/model/tool.ts";
import { defineParameters, TABLE_PARAMETERS } from "../parameters.ts";

const TITLE_PARAMETER = {
  "title?: string":
    "The title of the chart, at most 200 characters; by default made from the names of the columns.",
} as const;

export const chartMaker: ToolDefinition = {
  id: "chart-maker",
  name: "Chart maker",
  category: "creative",
  description:
    "Draws a table as a self-contained SVG chart in colours that are safe for colour-blind readers. The same table always produces the same bytes. Rows with missing values are omitted.",
  documentation: "https://echarts.apache.org/handbook/en/how-to/cross-platform/server",
  authentication: { type: "none", scopes: [] },
  rateLimit: { requests: 5000, period: "hour" },
  pricing: { model: "usage", free: 1000, overage: 0.002 },
  capabilities: [
    {
      id: "bar",
      name: "Bar chart",
      description:
        "One bar for each label: the mean, sum or count of a number column, or the number of rows. With more than 30 labels, the smallest bars are combined into one.",
      parameters: defineParameters({
        ...TABLE_PARAMETERS,
        "x: string": "The column of labels.",
        "y?: string":
          "The number column; without it, each bar shows the number of rows with its label.",
        "aggregate?: string":
          "What a bar shows for its rows: mean (the default with y), sum or count.",
        ...TITLE_PARAMETER,
      }),
    },
    {
      id: "line",
      name: "Line chart",
      description:
        "A number column over numbers or dates in ascending order, or over texts in the order of the rows. Where x repeats, the line shows the mean.",
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
        "One dot for each row, placed by two numbers or by a date and a number. Of more than 2,000 rows, an even sample is drawn.",
      parameters: defineParameters({
        ...TABLE_PARAMETERS,
        "x: string": "The column along the x axis: numbers or ISO 8601 dates.",
        "y: string": "The number column along the y axis.",
        "colour?: string":
          "The column whose values colour the dots; beyond six values, the rarest are grey.",
        ...TITLE_PARAMETER,
      }),
    },
    {
      id: "histogram",
      name: "Histogram",
      description:
        "How often the values of a number column fall into bins of equal width. The default number of bins follows the Freedman–Diaconis rule.",
      parameters: defineParameters({
        ...TABLE_PARAMETERS,
        "column: string": "The number column.",
        "bins?: number": "The number of bins, a whole number from 1 to 100.",
        ...TITLE_PARAMETER,
      }),
    },
  ],
};
