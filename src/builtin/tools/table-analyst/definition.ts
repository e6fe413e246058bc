import type { ToolDefinition } from "../../../tools/model/tool.ts";
import { defineParameters, TABLE_PARAMETERS } from "../parameters.ts";

export const tableAnalyst: ToolDefinition = {
  id: "table-analyst",
  name: "Table analyst",
  category: "data",
  description:
    "Computes statistics for a table: column profiles, group aggregates, correlations, outliers and trends. Missing values are omitted; figures have four significant digits.",
  documentation: "https://simple-statistics.github.io/docs/",
  authentication: { type: "none", scopes: [] },
  rateLimit: { requests: 5000, period: "hour" },
  pricing: { model: "usage", free: 1000, overage: 0.002 },
  capabilities: [
    {
      id: "profile",
      name: "Profile columns",
      description:
        "Returns the type and the number of missing and distinct values of every column. Number columns also have the mean, median, sample standard deviation and quartiles (linear interpolation, R type 7); text and boolean columns have their most common values.",
      parameters: defineParameters(TABLE_PARAMETERS),
    },
    {
      id: "aggregate",
      name: "Aggregate groups",
      description:
        "Groups rows by the values of one column. Returns the size of each group, and the sum, mean, median, minimum and maximum of another column.",
      parameters: defineParameters({
        ...TABLE_PARAMETERS,
        "groupBy: string": "The column whose values form the groups.",
        "column?: string": "The number column to aggregate. If omitted, rows are only counted.",
      }),
    },
    {
      id: "correlate",
      name: "Correlate columns",
      description:
        "Computes Pearson's r for every pair of number columns, strongest first. Each pair uses the rows in which both columns have a value.",
      parameters: defineParameters({
        ...TABLE_PARAMETERS,
        "columns?: array": "Between 2 and 30 number columns. Defaults to all number columns.",
      }),
    },
    {
      id: "outliers",
      name: "Find outliers",
      description:
        "Finds values beyond Tukey's fences, which are 1.5 interquartile ranges outside the quartiles. Rows are numbered from 1.",
      parameters: defineParameters({
        ...TABLE_PARAMETERS,
        "column?: string": "The number column to search. Defaults to all number columns.",
      }),
    },
    {
      id: "trend",
      name: "Fit a trend",
      description:
        "Fits a least-squares line to a number column over rows, dates or another number column. The trend is flat unless a two-sided t test finds the slope significant at 5%.",
      parameters: defineParameters({
        ...TABLE_PARAMETERS,
        "column: string": "The number column to analyse.",
        "by?: string":
          "The number or date column to use as the x axis. Defaults to the row number.",
      }),
    },
  ],
};
