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
  /** The paths of the capabilities granted at planning time, such as "table-analyst/profile". */
  capabilities: z.array(z.string()),
});
export type ReportPlan = z.infer<typeof reportPlanSchema>;

const reportStateSchema = z.object({
  plan: reportPlanSchema.nullable().default(null),
  gathered: z.array(completedCallSchema).default([]),
  analysed: z.array(completedCallSchema).default([]),
  /** Charts drawn before the budget limit interrupted drafting. */
  drawn: z.array(completedCallSchema).default([]),
  drafted: storedOutcomeSchema.nullable().default(null),
});

/** The results of earlier steps, with one key per phase. */
export type ReportState = z.infer<typeof reportStateSchema>;

/** Parses `task.work`, which only this agent's steps write. */
export function parseReportState(work: JsonObject): ReportState {
  return reportStateSchema.parse(work);
}

/** Whether the sources still match the plan. The context can change while the task runs. */
export function matchesPlan(plan: ReportPlan, sources: readonly InputSource[]): boolean {
  const digests = (of: readonly { id: string; digest: string }[]) =>
    of.map(({ id, digest }) => `${id} ${digest}`).join();
  return digests(plan.sources) === digests(sources);
}

/** Whether people answered the budget question without raising the budget. The report then uses the results so far. */
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
