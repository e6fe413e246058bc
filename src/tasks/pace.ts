import type { Pace } from "../domain/clockwork.ts";
import { RETENTION_DAY_MS } from "../domain/limits.ts";

/** The pace that the Worker's variables set. A variable that is no number is a mistake worth an error. */
export function paceOf(env: Pick<Env, "AGENT_STEP_INTERVAL_MS" | "TASK_RETENTION_DAYS">): Pace {
  const retentionDays = amount("TASK_RETENTION_DAYS", env.TASK_RETENTION_DAYS);
  return {
    stepIntervalMs: amount("AGENT_STEP_INTERVAL_MS", env.AGENT_STEP_INTERVAL_MS),
    retentionMs: retentionDays === 0 ? null : retentionDays * RETENTION_DAY_MS,
  };
}

function amount(name: string, value: string): number {
  const number = Number(value);
  if (!Number.isFinite(number) || number < 0) {
    throw new Error(`${name} must be a number from 0 up, not ${JSON.stringify(value)}`);
  }
  return number;
}
