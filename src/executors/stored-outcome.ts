import * as z from "zod";
import type { JsonObject } from "../kernel/json.ts";
import type { Deliverable, QualityScores, TaskOutcome } from "../tasks/model/task.ts";

/** Any object in `task.work`. Its values are not checked, because the task's log contains only JSON. */
export const storedObjectSchema = z.custom<JsonObject>(
  (value) => typeof value === "object" && value !== null && !Array.isArray(value),
);

export const storedDeliverableSchema = z.object({
  type: z.string(),
  name: z.string(),
  format: z.string(),
  size: z.number(),
  key: z.string(),
  createdAt: z.number(),
  sha256: z.string().exactOptional(),
  heldAt: z.number().exactOptional(),
}) satisfies z.ZodType<Deliverable>;

const percentSchema = z.number().min(0).max(100);

export const qualityScoresSchema = z.object({
  score: percentSchema,
  accuracy: percentSchema,
  completeness: percentSchema,
  clarity: percentSchema,
}) satisfies z.ZodType<QualityScores>;

export const storedOutcomeSchema = z.object({
  result: z.object({
    summary: z.string(),
    insights: z.array(z.string()).readonly(),
    recommendations: z.array(z.string()).readonly(),
  }),
  quality: qualityScoresSchema.nullable(),
  deliverables: z.array(storedDeliverableSchema).readonly(),
}) satisfies z.ZodType<TaskOutcome>;
