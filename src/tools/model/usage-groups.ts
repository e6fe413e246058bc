import { DAY_MS, sumDollars } from "../../kernel/units.ts";
import { fail, ok, type Result } from "../../kernel/result.ts";
import { USAGE_PERIOD_DAYS_DEFAULT, USAGE_PERIOD_DAYS_MAX } from "../limits.ts";
import { OTHERS_ID, sumUsage, utcDayOf, type AgentDayUsage, type UsageCounts } from "./usage.ts";

/** What usage can be grouped by. */
export const USAGE_GROUPINGS = ["day", "agent", "tool", "team", "key", "label"] as const;
export type UsageGrouping = (typeof USAGE_GROUPINGS)[number];

/** Days in UTC, both included, such as `2026-11-21`. */
export interface UsagePeriod {
  readonly from: string;
  readonly to: string;
}

/** The costs of models and of agents' work, which are part of a group's cost. They belong to no tool. */
export interface WorkCosts {
  readonly modelCost: number;
  readonly agentCost: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
}

/** The sum of the usage with the same day, agent and so on. A field is absent if usage is not grouped by it. */
export interface UsageGroup extends UsageCounts, WorkCosts {
  readonly day?: string;
  /** Null for calls without an agent. */
  readonly agentId?: string | null;
  /** Null for the work of models and agents. */
  readonly toolId?: string | null;
  /** Null for usage without a team, and for calls that the first releases recorded. */
  readonly teamId?: string | null;
  /** Null for calls that earlier releases recorded. */
  readonly keyId?: string | null;
  /** One label, such as `project=harbour`; null for usage without labels. */
  readonly label?: string | null;
}

/** The account of some usage. `labels`: as JSON, or OTHERS_ID; absent if there are none. */
export interface UsageAccount {
  readonly day: string;
  readonly agentId: string | null;
  readonly teamId?: string | null;
  readonly keyId?: string | null;
  readonly labels?: string;
}

const NO_WORK: WorkCosts = { modelCost: 0, agentCost: 0, inputTokens: 0, outputTokens: 0 };
const NO_CALLS = { calls: 0, failed: 0, durationMs: 0 };

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

/** Sums a tool's usage by everything in `groupBy` except the tool. Usage outside the period is omitted. */
export function groupToolUsage(
  usage: readonly AgentDayUsage[],
  { from, to }: UsagePeriod,
  groupBy: readonly UsageGrouping[],
): UsageGroup[] {
  const groups = usage
    .filter(({ day }) => from <= day && day <= to)
    .flatMap((entry) => {
      const { calls, failed, cost, durationMs } = entry;
      const counts = { calls, failed, cost, durationMs, ...NO_WORK };
      return groupingsOf(entry, groupBy).map((group) => ({ ...group, ...counts }));
    });
  return mergeGroups(groups);
}

/** Sums the costs of models and of agents' work by everything in `groupBy`. */
export function groupWorkCosts(
  costs: readonly (UsageAccount & WorkCosts)[],
  groupBy: readonly UsageGrouping[],
): UsageGroup[] {
  const tool = groupBy.includes("tool") ? { toolId: null } : {};
  const groups = costs.flatMap((entry) => {
    const { modelCost, agentCost, inputTokens, outputTokens } = entry;
    const cost = sumDollars([modelCost, agentCost]);
    const counts = { ...NO_CALLS, cost, modelCost, agentCost, inputTokens, outputTokens };
    return groupingsOf(entry, groupBy).map((group) => ({ ...group, ...tool, ...counts }));
  });
  return mergeGroups(groups);
}

/** The groups that usage counts towards: one, or one for each of its labels. */
function groupingsOf(
  { day, agentId, teamId = null, keyId = null, labels }: UsageAccount,
  groupBy: readonly UsageGrouping[],
): Omit<UsageGroup, keyof UsageCounts | keyof WorkCosts>[] {
  const group = {
    ...(groupBy.includes("day") ? { day } : {}),
    ...(groupBy.includes("agent") ? { agentId } : {}),
    ...(groupBy.includes("team") ? { teamId } : {}),
    ...(groupBy.includes("key") ? { keyId } : {}),
  };
  if (!groupBy.includes("label")) return [group];
  return toLabelTexts(labels).map((label) => ({ ...group, label }));
}

function toLabelTexts(labels: string | undefined): readonly (string | null)[] {
  if (labels === undefined) return [null];
  if (labels === OTHERS_ID) return [OTHERS_ID];
  const parsed: Record<string, string> = JSON.parse(labels);
  return Object.entries(parsed).map(([key, value]) => `${key}=${value}`);
}

/** Merges groups with the same day, agent, tool, team, key and label. */
export function mergeGroups(groups: readonly UsageGroup[]): UsageGroup[] {
  const byKey = Map.groupBy(groups, ({ day, agentId, toolId, teamId, keyId, label }) =>
    JSON.stringify([day, agentId, toolId, teamId, keyId, label].map((id) => id ?? [id === null])),
  );
  return [...byKey.values()].map((some) => ({ ...some[0], ...sumGroups(some) }));
}

/** The sum of groups, without what they are grouped by. */
export function sumGroups(groups: readonly UsageGroup[]): UsageCounts & WorkCosts {
  return {
    ...sumUsage(groups),
    modelCost: sumDollars(groups.map(({ modelCost }) => modelCost)),
    agentCost: sumDollars(groups.map(({ agentCost }) => agentCost)),
    inputTokens: groups.reduce((sum, { inputTokens }) => sum + inputTokens, 0),
    outputTokens: groups.reduce((sum, { outputTokens }) => sum + outputTokens, 0),
  };
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

/** The day, id or label of a group as text; empty if there is none. */
export function valueOf(group: UsageGroup, grouping: UsageGrouping): string {
  return group[USAGE_FIELDS[grouping]] ?? "";
}

/** The field of a group for each grouping. */
export const USAGE_FIELDS = {
  day: "day",
  agent: "agentId",
  tool: "toolId",
  team: "teamId",
  key: "keyId",
  label: "label",
} as const satisfies Record<UsageGrouping, keyof UsageGroup>;
