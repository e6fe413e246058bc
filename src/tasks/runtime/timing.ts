import { DAY_MS } from "../../kernel/units.ts";
import {
  ALARM_RUN_DEFAULT_MS,
  ALARM_RUN_LIMIT_MS,
  RETENTION_DAYS_MAX,
  STEP_INTERVAL_MAX_MS,
} from "../limits.ts";
import type { TaskTiming } from "../model/schedule.ts";

/** The timing that the Worker's variables set. */
export function readTaskTiming(
  env: Pick<Env, "AGENT_STEP_INTERVAL_MS" | "TASK_RETENTION_DAYS">,
): TaskTiming {
  const { AGENT_STEP_INTERVAL_MS: interval, TASK_RETENTION_DAYS: retention } = env;
  const retentionDays = readAmount("TASK_RETENTION_DAYS", retention, RETENTION_DAYS_MAX);
  return {
    stepIntervalMs: readAmount("AGENT_STEP_INTERVAL_MS", interval, STEP_INTERVAL_MAX_MS),
    retentionMs: retentionDays === 0 ? null : retentionDays * DAY_MS,
  };
}

/** How long steps that are due share an alarm run; 0 for one step per run. */
export function readAlarmRunMaxMs(env: Partial<Pick<Env, "ALARM_RUN_MAX_MS">>): number {
  const { ALARM_RUN_MAX_MS: value = String(ALARM_RUN_DEFAULT_MS) } = env;
  return readAmount("ALARM_RUN_MAX_MS", value, ALARM_RUN_LIMIT_MS);
}

/** A variable that is no number is a configuration error. */
function readAmount(name: string, value: string, max: number): number {
  const number = Number(value);
  if (!(number >= 0 && number <= max)) {
    throw new Error(`${name} must be a number from 0 to ${max}, not ${JSON.stringify(value)}`);
  }
  return number;
}
