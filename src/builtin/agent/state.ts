import type { Task } from "../../tasks/model/task.ts";
import { type CompletedCall, completedCallSchema } from "./tool-calls.ts";
import * as z from "zod";
import type { JsonObject } from "../../kernel/json.ts";
import { storedOutcomeSchema } from "../../executors/stored-outcome.ts";
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
  /** "table-analyst/profile" for each capability that was granted during planning. */
  capabilities: z.array(z.string()),
});
export type ReportPlan = z.infer<typeof reportPlanSchema>;

const reportStateSchema = z.object({
  plan: reportPlanSchema.nullable().default(null),
  gathered: z.array(completedCallSchema).default([]),
  analysed: z.array(completedCallSchema).default([]),
  /** Charts drawn before the budget stopped the drafting. */
  drawn: z.array(completedCallSchema).default([]),
  drafted: storedOutcomeSchema.nullable().default(null),
});

/** The results of the earlier steps: one key for each phase. */
export type ReportState = z.infer<typeof reportStateSchema>;

/** Parses `task.work`, which only the steps of this agent write. */
export function parseReportState(work: JsonObject): ReportState {
  return reportStateSchema.parse(work);
}

/** Whether the sources are still those of the plan: the context may change during the work. */
export function matchesPlan(plan: ReportPlan, sources: readonly InputSource[]): boolean {
  const digests = (of: readonly { id: string; digest: string }[]) =>
    of.map(({ id, digest }) => `${id} ${digest}`).join();
  return digests(plan.sources) === digests(sources);
}

/** Whether people have answered the budget question without a higher budget: the report uses the results so far. */
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
