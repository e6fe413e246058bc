import { RECENT_CALLS_MAX, USAGE_AGENTS_MAX } from "../limits.ts";
import { DAY_MS, sumDollars } from "../../kernel/units.ts";

interface Caller {
  /** Null for a call without an agent. */
  readonly agentId: string | null;
  /** The team of the task, or of the key used; null if there is none. Absent in calls recorded by earlier releases. */
  readonly teamId?: string | null;
}

export interface ToolCallRecord extends Caller {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly capability: string;
  readonly taskId: string | null;
  /** The response's error code; null for a successful call. */
  readonly code: string | null;
  /** In US dollars; 0 for a failed call. */
  readonly cost: number;
  readonly durationMs: number;
}

/** One agent's usage of a tool for one team on one day (UTC), such as `2026-11-21`. */
export interface AgentDayUsage extends Caller, UsageCounts {
  readonly day: string;
}

/** `cost` is in US dollars. */
export interface UsageCounts {
  readonly calls: number;
  readonly failed: number;
  readonly cost: number;
  readonly durationMs: number;
}

/** One day's usage, with one entry per calling agent and team. */
export type DailyUsage = readonly AgentDayUsage[];

/** Adds a call to the list of recent calls, newest first. */
export function prependCall(
  recent: readonly ToolCallRecord[],
  call: ToolCallRecord,
): ToolCallRecord[] {
  return [call, ...recent.slice(0, RECENT_CALLS_MAX - 1)];
}

/**
 * The id under which callers are counted after the first USAGE_AGENTS_MAX entries of a day. No agent id begins with it.
 */
const OTHER_AGENTS_ID = "*";

/** Adds a call to a day's usage. */
export function addCallToDay(before: DailyUsage, call: ToolCallRecord): DailyUsage {
  const { agentId, teamId } = call;
  const isNamed =
    before.length < USAGE_AGENTS_MAX || before.some((entry) => isSameCaller(entry, call));
  const caller: Caller = isNamed
    ? { agentId, ...(teamId === undefined ? {} : { teamId }) }
    : { agentId: OTHER_AGENTS_ID, teamId: null };
  const others = before.filter((entry) => !isSameCaller(entry, caller));
  const own = before.filter((entry) => isSameCaller(entry, caller));
  const { code, cost, durationMs } = call;
  const counts = { calls: 1, failed: code === null ? 0 : 1, cost, durationMs };
  return [...others, { day: utcDayOf(call.at), ...caller, ...sumUsage([...own, counts]) }];
}

/**
 * The calls that a key may see. A bound key sees only calls by its agents, and a team's key sees no calls for other
 * teams.
 */
export interface UsageScope {
  /** Null for calls by any agent and calls without an agent. */
  readonly agentIds: readonly string[] | null;
  /** Null for calls for any team. */
  readonly teamId: string | null;
}

/** A day's usage within a scope, one entry per agent. */
export function filterDailyUsage(day: DailyUsage, scope: UsageScope): AgentDayUsage[] {
  const byAgent = Map.groupBy(
    day.filter((entry) => isInScope(entry, scope)),
    ({ agentId }) => agentId,
  );
  return [...byAgent].map(([agentId, entries]) => ({
    day: entries[0]?.day ?? "",
    agentId,
    ...sumUsage(entries),
  }));
}

export function sumUsage(entries: readonly UsageCounts[]): UsageCounts {
  const sum = (field: "calls" | "failed" | "durationMs") =>
    entries.reduce((total, entry) => total + entry[field], 0);
  const cost = sumDollars(entries.map((entry) => entry.cost));
  return { calls: sum("calls"), failed: sum("failed"), cost, durationMs: sum("durationMs") };
}

/**
 * The last calls within a scope. Task ids of other teams are removed, because a team's key sees only its own team's
 * tasks.
 */
export function filterCalls(
  recent: readonly ToolCallRecord[],
  scope: UsageScope,
): ToolCallRecord[] {
  return recent
    .filter((call) => isInScope(call, scope))
    .map((call) =>
      scope.teamId === null || call.teamId === scope.teamId ? call : { ...call, taskId: null },
    );
}

function isInScope(
  { agentId, teamId }: Caller,
  { agentIds, teamId: ownTeamId }: UsageScope,
): boolean {
  if (agentIds !== null && (agentId === null || !agentIds.includes(agentId))) return false;
  return ownTeamId === null || teamId === null || teamId === ownTeamId;
}

function isSameCaller(one: Caller, other: Caller): boolean {
  return one.agentId === other.agentId && one.teamId === other.teamId;
}

/** The first day (UTC) of a period of `days` days that ends on the day of `now`. */
export function firstDayOf(now: number, days: number): string {
  return utcDayOf(now - (days - 1) * DAY_MS);
}

export function utcDayOf(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}
