import type { TaskTiming } from "../model/schedule.ts";
import { DAY_MS } from "../../kernel/units.ts";
import { RETENTION_DAYS_MAX, STEP_INTERVAL_MAX_MS } from "../limits.ts";

/** The pace that the Worker's variables set. A variable that is no number is a mistake worth an error. */
export function readTaskTiming(
  env: Pick<Env, "AGENT_STEP_INTERVAL_MS" | "TASK_RETENTION_DAYS">,
): TaskTiming {
  const retentionDays = amount("TASK_RETENTION_DAYS", env.TASK_RETENTION_DAYS, RETENTION_DAYS_MAX);
  return {
    stepIntervalMs: amount(
      "AGENT_STEP_INTERVAL_MS",
      env.AGENT_STEP_INTERVAL_MS,
      STEP_INTERVAL_MAX_MS,
    ),
    retentionMs: retentionDays === 0 ? null : retentionDays * DAY_MS,
  };
}

function amount(name: string, value: string, most: number): number {
  const number = Number(value);
  if (!(number >= 0 && number <= most)) {
    throw new Error(`${name} must be a number from 0 to ${most}, not ${JSON.stringify(value)}`);
  }
  return number;
}
