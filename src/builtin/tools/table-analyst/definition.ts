import type { ToolDefinition } from "../../../tools/model/tool.ts";
import { defineParameters, TABLE_PARAMETERS } from "../parameters.ts";

export const tableAnalyst: ToolDefinition = {
  id: "table-analyst",
  name: "Table analyst",
  category: "data",
  description:
    "Computes statistics of a table: column profiles, group aggregates, correlations, outliers and trends. Missing values are omitted; figures have four significant digits.",
  documentation: "https://simple-statistics.github.io/docs/",
  authentication: { type: "none", scopes: [] },
  rateLimit: { requests: 5000, period: "hour" },
  pricing: { model: "usage", free: 1000, overage: 0.002 },
  capabilities: [
    {
      id: "profile",
      name: "Profile columns",
      description:
        "Type, missing and distinct values of every column; mean, median, sample standard deviation and quartiles (linear interpolation, R type 7) of numbers; the most common texts.",
      parameters: defineParameters(TABLE_PARAMETERS),
    },
    {
      id: "aggregate",
      name: "Aggregate groups",
      description:
        "Groups rows by the values of one column; returns the number of rows of each group, and the sum, mean, median, minimum and maximum of another column.",
      parameters: defineParameters({
        ...TABLE_PARAMETERS,
        "groupBy: string": "The column whose values form the groups.",
        "column?: string": "The number column to aggregate; without it, rows are only counted.",
      }),
    },
    {
      id: "correlate",
      name: "Correlate columns",
      description:
        "Pearson's r of every pair of number columns over the rows where both are present, strongest first.",
      parameters: defineParameters({
        ...TABLE_PARAMETERS,
        "columns?: array": "Two to 30 number columns; all number columns by default.",
      }),
    },
    {
      id: "outliers",
      name: "Find outliers",
      description:
        "Values beyond Tukey's fences, 1.5 interquartile ranges outside the quartiles, with their row numbers from 1.",
      parameters: defineParameters({
        ...TABLE_PARAMETERS,
        "column?: string": "The number column to search; all number columns by default.",
      }),
    },
    {
      id: "trend",
      name: "Fit a trend",
      description:
        "Fits a least-squares line to a number column over rows, dates or another number column; the trend is flat unless a two-sided t test finds the slope significant at 5%.",
      parameters: defineParameters({
        ...TABLE_PARAMETERS,
        "column: string": "The number column that may rise or fall.",
        "by?: string":
          "The number or date column along which the trend runs; the order of the rows by default.",
      }),
    },
  ],
};
