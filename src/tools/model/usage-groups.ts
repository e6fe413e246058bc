import { DAY_MS } from "../../kernel/units.ts";
import { fail, ok, type Result } from "../../kernel/result.ts";
import { USAGE_PERIOD_DAYS_DEFAULT, USAGE_PERIOD_DAYS_MAX } from "../limits.ts";
import { sumUsage, utcDayOf, type AgentDayUsage, type UsageCounts } from "./usage.ts";

/** What usage can be grouped by. */
export const USAGE_GROUPINGS = ["day", "agent", "tool"] as const;
export type UsageGrouping = (typeof USAGE_GROUPINGS)[number];

/** Days in UTC, both included, such as `2026-11-21`. */
export interface UsagePeriod {
  readonly from: string;
  readonly to: string;
}

/** The sum of the usage with the same day, agent and tool. A field is absent if usage is not grouped by it. */
export interface UsageGroup extends UsageCounts {
  readonly day?: string;
  /** Null for calls without an agent. */
  readonly agentId?: string | null;
  readonly toolId?: string;
}

/**
 * The period of a report. `to` is today by default, and `from` is six days before `to`. Fails with the name of the
 * invalid field.
 */
export function resolvePeriod(
  given: { readonly from?: string | undefined; readonly to?: string | undefined },
  now: number,
): Result<UsagePeriod, { readonly path: "from"; readonly message: string }> {
  const to = given.to ?? utcDayOf(now);
  const from = given.from ?? utcDayOf(Date.parse(to) - (USAGE_PERIOD_DAYS_DEFAULT - 1) * DAY_MS);
  const days = (Date.parse(to) - Date.parse(from)) / DAY_MS + 1;
  const end = given.to === undefined ? `today, ${to} (UTC)` : `to, ${to}`;
  if (days < 1) return fail({ path: "from", message: `must not be after ${end}, got "${from}"` });
  if (days > USAGE_PERIOD_DAYS_MAX) {
    const message = `must be at most ${USAGE_PERIOD_DAYS_MAX - 1} days before ${end}, got "${from}"`;
    return fail({ path: "from", message });
  }
  return ok({ from, to });
}

/** Sums a tool's usage by day, by agent, by both or by neither. Usage outside the period is omitted. */
export function groupToolUsage(
  usage: readonly AgentDayUsage[],
  { from, to }: UsagePeriod,
  groupBy: readonly UsageGrouping[],
): UsageGroup[] {
  const groups = usage
    .filter(({ day }) => from <= day && day <= to)
    .map(({ day, agentId, calls, failed, cost, durationMs }) => ({
      ...(groupBy.includes("day") ? { day } : {}),
      ...(groupBy.includes("agent") ? { agentId } : {}),
      calls,
      failed,
      cost,
      durationMs,
    }));
  return mergeGroups(groups);
}

/** Merges groups with the same day, agent and tool. */
export function mergeGroups(groups: readonly UsageGroup[]): UsageGroup[] {
  const byKey = Map.groupBy(groups, ({ day, agentId, toolId }) =>
    JSON.stringify([day, agentId, toolId]),
  );
  return [...byKey.values()].map((some) => ({ ...some[0], ...sumUsage(some) }));
}

/** Sorts groups by the fields that they are grouped by, in that order. Calls without an agent come first. */
export function sortGroups(
  groups: readonly UsageGroup[],
  groupBy: readonly UsageGrouping[],
): UsageGroup[] {
  return groups.toSorted((a, b) => {
    for (const grouping of groupBy) {
      const [one, other] = [valueOf(a, grouping), valueOf(b, grouping)];
      if (one !== other) return one < other ? -1 : 1;
    }
    return 0;
  });
}

/** The day or id of a group as text; empty for calls without an agent. */
export function valueOf({ day, agentId, toolId }: UsageGroup, grouping: UsageGrouping): string {
  switch (grouping) {
    case "day":
      return day ?? "";
    case "agent":
      return agentId ?? "";
    case "tool":
      return toolId ?? "";
  }
}
