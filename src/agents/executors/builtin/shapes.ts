import * as z from "zod";

/** What the agent reads of the tools' results. Figures that do not apply are null. */

const figure = z.number().nullable().default(null);
const scalar = z.union([z.string(), z.number(), z.boolean()]);
const notes = z.array(z.string()).default([]);

const column = z.object({
  name: z.string(),
  type: z.enum(["number", "text", "date", "boolean", "empty"]),
  count: z.number(),
  missing: z.number(),
  distinct: z.number(),
  min: z.union([z.number(), z.string()]).nullable().default(null),
  max: z.union([z.number(), z.string()]).nullable().default(null),
  mean: figure,
  median: figure,
  standardDeviation: figure,
  q1: figure,
  q3: figure,
  top: z.array(z.object({ value: scalar, count: z.number() })).default([]),
});

/** `table-analyst/profile`; `unread` counts the columns that were left out when it was distilled. */
export const profileShape = z.object({
  rows: z.number(),
  columns: z.array(column),
  unread: z.number().default(0),
  notes,
});
export type Profile = z.infer<typeof profileShape>;
export type Column = z.infer<typeof column>;

/** `table-analyst/correlate` */
export const correlateShape = z.object({
  pairs: z.array(z.object({ x: z.string(), y: z.string(), r: z.number(), n: z.number() })),
  notes,
});
export type Pair = z.infer<typeof correlateShape>["pairs"][number];

/** `table-analyst/aggregate` */
export const aggregateShape = z.object({
  groupBy: z.string(),
  column: z.string(),
  groups: z.array(
    z.object({
      group: scalar,
      count: z.number(),
      sum: figure,
      mean: figure,
      median: figure,
      min: figure,
      max: figure,
    }),
  ),
  notes,
});
export type Grouping = z.infer<typeof aggregateShape>;
export type Group = Grouping["groups"][number];

/** `table-analyst/outliers` */
export const outliersShape = z.object({
  columns: z.array(
    z.object({
      column: z.string(),
      lower: figure,
      upper: figure,
      count: z.number(),
      outliers: z.array(z.object({ row: z.number(), value: z.number() })),
    }),
  ),
  notes,
});
export type Fences = z.infer<typeof outliersShape>["columns"][number];

const end = z.object({ at: scalar.nullable().default(null), value: z.number() });

/** `table-analyst/trend` */
export const trendShape = z.object({
  column: z.string(),
  by: z.string(),
  n: z.number(),
  slope: figure,
  r2: figure,
  direction: z.enum(["rising", "falling", "flat"]),
  perUnit: z.string(),
  first: end,
  last: end,
  notes,
});
export type Trend = z.infer<typeof trendShape>;

/** `text-analyst/keywords` */
export const keywordsShape = z.object({
  keywords: z.array(z.object({ term: z.string(), count: z.number() })),
  words: figure,
  notes,
});
export type Keywords = z.infer<typeof keywordsShape>;

/** `text-analyst/summarise` */
export const summariseShape = z.object({
  sentences: z.array(z.object({ position: z.number(), text: z.string() })),
  ofSentences: z.number(),
  notes,
});
export type Extract = z.infer<typeof summariseShape>;

/** `text-analyst/readability` */
export const readabilityShape = z.object({
  words: z.number(),
  sentences: z.number(),
  fleschReadingEase: figure,
  fleschKincaidGrade: figure,
  level: z.string().nullable().default(null),
  readingTime: z.string().nullable().default(null),
  notes,
});
export type Readability = z.infer<typeof readabilityShape>;

/** Every capability of `chart-maker`. */
export const chartShape = z.object({ svg: z.string().startsWith("<svg"), notes });

/** `format-bridge/convert` */
export const convertShape = z.object({ content: z.string() });
