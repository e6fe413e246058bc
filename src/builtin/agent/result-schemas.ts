import * as z from "zod";

/** The tool result fields that the agent uses. Figures that do not apply are null. */

const figureSchema = z.number().nullable().default(null);
const scalarSchema = z.union([z.string(), z.number(), z.boolean()]);
const notesSchema = z.array(z.string()).default([]);

const columnSchema = z.object({
  name: z.string(),
  type: z.enum(["number", "text", "date", "boolean", "empty"]),
  count: z.number(),
  missing: z.number(),
  distinct: z.number(),
  min: z.union([z.number(), z.string()]).nullable().default(null),
  max: z.union([z.number(), z.string()]).nullable().default(null),
  mean: figureSchema,
  median: figureSchema,
  standardDeviation: figureSchema,
  q1: figureSchema,
  q3: figureSchema,
  top: z.array(z.object({ value: scalarSchema, count: z.number() })).default([]),
});

/** The result of `table-analyst/profile`. `unread` is the number of columns omitted when the result is stored. */
export const profileResultSchema = z.object({
  rows: z.number(),
  columns: z.array(columnSchema),
  unread: z.number().default(0),
  notes: notesSchema,
});
export type TableProfile = z.infer<typeof profileResultSchema>;
export type ColumnProfile = z.infer<typeof columnSchema>;

export const correlateResultSchema = z.object({
  pairs: z.array(z.object({ x: z.string(), y: z.string(), r: z.number(), n: z.number() })),
  notes: notesSchema,
});
export type Correlation = z.infer<typeof correlateResultSchema>["pairs"][number];

export const aggregateResultSchema = z.object({
  groupBy: z.string(),
  column: z.string(),
  groups: z.array(
    z.object({
      group: scalarSchema,
      count: z.number(),
      sum: figureSchema,
      mean: figureSchema,
      median: figureSchema,
      min: figureSchema,
      max: figureSchema,
    }),
  ),
  notes: notesSchema,
});
export type GroupAggregation = z.infer<typeof aggregateResultSchema>;
export type GroupFigures = GroupAggregation["groups"][number];

export const outliersResultSchema = z.object({
  columns: z.array(
    z.object({
      column: z.string(),
      lower: figureSchema,
      upper: figureSchema,
      count: z.number(),
      outliers: z.array(z.object({ row: z.number(), value: z.number() })),
    }),
  ),
  notes: notesSchema,
});
export type OutlierFences = z.infer<typeof outliersResultSchema>["columns"][number];

const trendEndSchema = z.object({ at: scalarSchema.nullable().default(null), value: z.number() });

export const trendResultSchema = z.object({
  column: z.string(),
  by: z.string(),
  n: z.number(),
  slope: figureSchema,
  r2: figureSchema,
  direction: z.enum(["rising", "falling", "flat"]),
  perUnit: z.string(),
  first: trendEndSchema,
  last: trendEndSchema,
  notes: notesSchema,
});
export type TrendLine = z.infer<typeof trendResultSchema>;

export const keywordsResultSchema = z.object({
  keywords: z.array(z.object({ term: z.string(), count: z.number() })),
  words: figureSchema,
  notes: notesSchema,
});
export type KeywordsResult = z.infer<typeof keywordsResultSchema>;

export const summarizeResultSchema = z.object({
  sentences: z.array(z.object({ position: z.number(), text: z.string() })),
  ofSentences: z.number(),
  notes: notesSchema,
});
export type ExtractiveSummary = z.infer<typeof summarizeResultSchema>;

export const readabilityResultSchema = z.object({
  words: z.number(),
  sentences: z.number(),
  fleschReadingEase: figureSchema,
  fleschKincaidGrade: figureSchema,
  level: z.string().nullable().default(null),
  readingTime: z.string().nullable().default(null),
  notes: notesSchema,
});
export type ReadabilityResult = z.infer<typeof readabilityResultSchema>;

/** The result of every `chart-maker` capability. */
export const chartResultSchema = z.object({
  svg: z.string().startsWith("<svg"),
  notes: notesSchema,
});

export const convertResultSchema = z.object({ content: z.string() });
