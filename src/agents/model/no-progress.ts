import { formatCount } from "../../kernel/text.ts";
import type { NoProgressLimits, NoProgressMeasure, Pause } from "./pause.ts";

/** What the breaker knows when it checks a task. Times are in milliseconds since 1970. */
export interface NoProgressFacts {
  readonly taskId: string;
  readonly limits: NoProgressLimits;
  /** The amounts that the check measured. */
  readonly counts: Readonly<Partial<Record<NoProgressMeasure, number>>>;
}

/** Decides whether the breaker pauses an agent: at the first limit that is reached. Null if none is. */
export function decideNoProgress(
  { taskId, limits, counts }: NoProgressFacts,
  now: number,
): Pause | null {
  for (const measure of ["failedAttempts", "calls", "cost"] as const) {
    const [limit, count] = [limits[measure], counts[measure]];
    if (limit === null || count === undefined || count < limit) continue;
    const evidence = { taskId, measure, limit, counts: { ...counts } };
    const reason = REASONS[measure](count, taskId);
    return { at: now, by: null, cause: "no-progress", reason, evidence };
  }
  return null;
}

const REASONS: Readonly<Record<NoProgressMeasure, (count: number, taskId: string) => string>> = {
  failedAttempts: (count, taskId) =>
    `${formatCount(count, "attempt")} in a row failed, the last one in task ${taskId}.`,
  calls: (count, taskId) =>
    `Task ${taskId} made ${formatCount(count, "tool call")} without new progress, a new file or an end.`,
  cost: (count, taskId) =>
    `Task ${taskId} spent $${count.toFixed(2)} without new progress, a new file or an end.`,
};

/** The number of failures in a row: those after the last success and after the agent was last resumed. */
export function countFailuresInARow(
  failedAt: readonly number[],
  lastSuccessAt: number | null,
  resumedAt: number | null,
): number {
  const from = Math.max(lastSuccessAt ?? 0, resumedAt ?? 0);
  return failedAt.filter((at) => at > from).length;
}
