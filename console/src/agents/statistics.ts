import type { Schemas } from "../api/client.ts";

type ListedTask = Pick<Schemas["ListedTask"], "status" | "startedAt" | "endedAt">;

export interface AgentStatistics {
  /** The tasks that were completed or failed. */
  readonly ended: number;
  /** The share of `ended` that was completed, from 0 to 1; null if there are none. */
  readonly successRate: number | null;
  /** From the start of the work to the end of completed tasks; null if there are none. */
  readonly medianDurationMs: number | null;
}

export function agentStatistics(tasks: readonly ListedTask[]): AgentStatistics {
  const completed = tasks.filter(({ status }) => status === "completed");
  const ended = completed.length + tasks.filter(({ status }) => status === "failed").length;
  const durations = completed.flatMap(({ startedAt, endedAt }) =>
    startedAt === undefined || endedAt === undefined
      ? []
      : [Date.parse(endedAt) - Date.parse(startedAt)],
  );
  return {
    ended,
    successRate: ended === 0 ? null : completed.length / ended,
    medianDurationMs: median(durations),
  };
}

/** The middle value, or the mean of the two middle values; null if there are none. */
export function median(values: readonly number[]): number | null {
  const sorted = values.toSorted((a, b) => a - b);
  const upper = sorted[Math.floor(sorted.length / 2)];
  const lower = sorted[Math.ceil(sorted.length / 2) - 1];
  return upper === undefined || lower === undefined ? null : (lower + upper) / 2;
}
