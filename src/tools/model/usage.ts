import { RECENT_CALLS_MAX, USAGE_AGENTS_MAX } from "../limits.ts";
import { DAY_MS, sumDollars } from "../../kernel/units.ts";

export interface ToolCallRecord {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly capability: string;
  /** Null for a call without an agent. */
  readonly agentId: string | null;
  readonly taskId: string | null;
  /** The team of its task or of the calling key, or null. Absent in calls recorded by earlier releases. */
  readonly teamId?: string | null;
  /** The error code of the response; null for a successful call. */
  readonly code: string | null;
  /** In US dollars; 0 for a call that failed. */
  readonly cost: number;
  readonly durationMs: number;
}

/** One agent's usage of a tool for one team on one day (UTC), such as `2026-11-21`. */
export interface AgentDayUsage {
  readonly day: string;
  readonly agentId: string | null;
  /** As in ToolCallRecord. */
  readonly teamId?: string | null;
  readonly calls: number;
  readonly failed: number;
  readonly cost: number;
  readonly durationMs: number;
}

/** A day's usage: one entry per calling agent and team. */
export type DailyUsage = readonly AgentDayUsage[];

/** The last calls, newest first, once there is one more. */
export function prependCall(
  recent: readonly ToolCallRecord[],
  call: ToolCallRecord,
): ToolCallRecord[] {
  return [call, ...recent.slice(0, RECENT_CALLS_MAX - 1)];
}

/** The id for all further agents of a day after the first thousand; no agent id begins with it. */
const OTHER_AGENTS_ID = "*";

/** A day's usage once one more call of that day has ended. */
export function addCallToDay(before: DailyUsage, call: ToolCallRecord): DailyUsage {
  const { agentId, teamId } = call;
  const caller = { agentId, ...(teamId === undefined ? {} : { teamId }) };
  const isKnown = before.some((entry) => isSameCaller(entry, caller));
  const named =
    isKnown || before.length < USAGE_AGENTS_MAX
      ? caller
      : { agentId: OTHER_AGENTS_ID, teamId: null };
  const others = before.filter((entry) => !isSameCaller(entry, named));
  const own = before.find((entry) => isSameCaller(entry, named));
  return [
    ...others,
    {
      day: utcDayOf(call.at),
      ...named,
      calls: (own?.calls ?? 0) + 1,
      failed: (own?.failed ?? 0) + (call.code === null ? 0 : 1),
      cost: sumDollars([own?.cost ?? 0, call.cost]),
      durationMs: (own?.durationMs ?? 0) + call.durationMs,
    },
  ];
}

/** The calls that a key may see: calls by its agents, and for a team's key no calls for another team. */
export interface UsageScope {
  /** Null: calls by any agent and calls without an agent. */
  readonly agentIds: readonly string[] | null;
  /** Null: calls for any team. */
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
    calls: sumDollars(entries.map(({ calls }) => calls)),
    failed: sumDollars(entries.map(({ failed }) => failed)),
    cost: sumDollars(entries.map(({ cost }) => cost)),
    durationMs: sumDollars(entries.map(({ durationMs }) => durationMs)),
  }));
}

/** The last calls within a scope. A team's key sees only its team's tasks, so other task ids are removed. */
export function filterCalls(
  recent: readonly ToolCallRecord[],
  scope: UsageScope,
): ToolCallRecord[] {
  return recent
    .filter((call) => isInScope(call, scope))
    .map((call) => (isTaskInScope(call, scope) ? call : { ...call, taskId: null }));
}

function isInScope(
  { agentId, teamId }: Pick<ToolCallRecord, "agentId" | "teamId">,
  { agentIds, teamId: ownTeamId }: UsageScope,
): boolean {
  if (agentIds !== null && (agentId === null || !agentIds.includes(agentId))) return false;
  return ownTeamId === null || teamId === null || teamId === ownTeamId;
}

function isTaskInScope({ teamId }: ToolCallRecord, { teamId: ownTeamId }: UsageScope): boolean {
  return ownTeamId === null || teamId === ownTeamId;
}

function isSameCaller(
  one: Pick<AgentDayUsage, "agentId" | "teamId">,
  other: Pick<AgentDayUsage, "agentId" | "teamId">,
): boolean {
  return one.agentId === other.agentId && one.teamId === other.teamId;
}

/** The first of the `days` days (UTC) that end with the day of `now`. */
export function firstDayOf(now: number, days: number): string {
  return utcDayOf(now - (days - 1) * DAY_MS);
}

export function utcDayOf(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}
