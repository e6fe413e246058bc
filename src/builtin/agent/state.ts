import type { Task } from "../../tasks/model/task.ts";
import { type CompletedCall, completedCallSchema } from "./tool-calls.ts";
import * as z from "zod";
import type { JsonObject } from "../../kernel/json.ts";
import type { InputSource } from "./inputs.ts";

const reportPlanSchema = z.object({
  sources: z.array(
    z.object({
      id: z.string(),
      kind: z.enum(["table", "text"]),
      amount: z.string(),
      digest: z.string(),
    }),
  ),
  /** "table-analyst/profile" for each capability that the agent might use when it planned. */
  capabilities: z.array(z.string()),
});
export type ReportPlan = z.infer<typeof reportPlanSchema>;

const storedDeliverableSchema = z.object({
  type: z.string(),
  name: z.string(),
  format: z.string(),
  size: z.number(),
  key: z.string(),
  createdAt: z.number(),
  heldAt: z.number().exactOptional(),
});

const draftedSchema = z.object({
  result: z.object({
    summary: z.string(),
    insights: z.array(z.string()),
    recommendations: z.array(z.string()),
  }),
  quality: z.object({
    score: z.number(),
    accuracy: z.number(),
    completeness: z.number(),
    clarity: z.number(),
  }),
  deliverables: z.array(storedDeliverableSchema),
});

const reportStateSchema = z.object({
  plan: reportPlanSchema.nullable().default(null),
  gathered: z.array(completedCallSchema).default([]),
  analysed: z.array(completedCallSchema).default([]),
  /** Charts drawn before the budget stopped the drafting. */
  drawn: z.array(completedCallSchema).default([]),
  drafted: draftedSchema.nullable().default(null),
});

/** What the agent's earlier steps left: one key for each phase, in plain JSON. */
export type ReportState = z.infer<typeof reportStateSchema>;

/** Reads `task.work`, which holds nothing but what the steps of this agent wrote. */
export function parseReportState(work: JsonObject): ReportState {
  return reportStateSchema.parse(work);
}

/** The plan's memory of its sources, without their content. */
export function toPlannedSources(sources: readonly InputSource[]): ReportPlan["sources"] {
  return sources.map(({ id, kind, amount, digest }) => ({ id, kind, amount, digest }));
}

/** Whether the material is still what was planned for: a context may change while work goes on. */
export function matchesPlan(plan: ReportPlan, sources: readonly InputSource[]): boolean {
  const digests = (of: readonly { id: string; digest: string }[]) =>
    of.map(({ id, digest }) => `${id} ${digest}`).join();
  return digests(plan.sources) === digests(sources);
}

/** Whether people, asked about the budget, chose to end the calls: they want what is there. */
export function isBudgetIncreaseDeclined(
  { answers }: Task,
  entries: readonly CompletedCall[],
): boolean {
  const questions = new Set(answers.map(({ question }) => question));
  return entries.some(({ problem }) => problem !== null && questions.has(problem.message));
}

export function canProfile({ capabilities }: ReportPlan): boolean {
  return capabilities.includes("table-analyst/profile");
}
