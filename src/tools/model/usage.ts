import {
  RECENT_CALLS_MAX,
  USAGE_AGENTS_MAX,
  USAGE_KEYED_MAX,
  USAGE_LABELLED_MAX,
  USAGE_LABELS_CHARACTERS_MAX,
} from "../limits.ts";
import { DAY_MS, sumDollars } from "../../kernel/units.ts";
import type { TaskLabels } from "../../tasks/model/task.ts";

interface Caller {
  /** Null for a call without an agent. */
  readonly agentId: string | null;
  /** The team of the task, or of the key used; null if there is none. Absent in calls recorded by earlier releases. */
  readonly teamId?: string | null;
}

/** Who a day's usage is counted for. */
interface Account extends Caller {
  /** The key that created the task or, without a task, made the calls. Absent in usage counted by earlier releases. */
  readonly keyId?: string | null;
  /** The task's labels as JSON; absent if there are none, and OTHERS_ID if they were not counted. */
  readonly labels?: string;
}

/** A call that has ended. `labels`: of its task; absent if there are none. */
export interface ToolCall extends ToolCallRecord {
  readonly keyId?: string | null;
  readonly labels?: TaskLabels;
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

/** The usage of a tool for one account on one day (UTC), such as `2026-11-21`. */
export interface AgentDayUsage extends Account, UsageCounts {
  readonly day: string;
}

/** `cost` is in US dollars. */
export interface UsageCounts {
  readonly calls: number;
  readonly failed: number;
  readonly cost: number;
  readonly durationMs: number;
}

/** One day's usage, with one entry per calling agent, team, key and set of labels. */
export type DailyUsage = readonly AgentDayUsage[];

/** Adds a call to the list of recent calls, newest first. */
export function prependCall(
  recent: readonly ToolCallRecord[],
  { keyId, labels, ...call }: ToolCall,
): ToolCallRecord[] {
  return [call, ...recent.slice(0, RECENT_CALLS_MAX - 1)];
}

/** Counts agents, keys and labels that a day has no entries left for. No id of an agent or a key begins with it. */
export const OTHERS_ID = "*";

/** Adds a call to a day's usage. */
export function addCallToDay(before: DailyUsage, call: ToolCall): DailyUsage {
  const caller = accountOf(before, call);
  const others = before.filter((entry) => !isSameAccount(entry, caller));
  const own = before.filter((entry) => isSameAccount(entry, caller));
  const { code, cost, durationMs } = call;
  const counts = { calls: 1, failed: code === null ? 0 : 1, cost, durationMs };
  return [...others, { day: utcDayOf(call.at), ...caller, ...sumUsage([...own, counts]) }];
}

/**
 * The account to count a call for. When a day has many entries, new ones have no labels, then no key, and finally no
 * agent, so that agents with many keys and labels are still counted separately.
 */
function accountOf(before: DailyUsage, { agentId, teamId, keyId, labels }: ToolCall): Account {
  const caller = { agentId, ...(teamId === undefined ? {} : { teamId }) };
  const keyed = { ...caller, ...(keyId === undefined ? {} : { keyId }) };
  const text = labels === undefined ? undefined : JSON.stringify(labels);
  const isShort = (text?.length ?? 0) <= USAGE_LABELS_CHARACTERS_MAX;
  const complete = text === undefined ? keyed : { ...keyed, labels: text };
  const other = text === undefined ? {} : { labels: OTHERS_ID };
  const accounts: readonly (readonly [Account, entriesMax: number])[] = [
    [complete, text === undefined ? USAGE_KEYED_MAX : isShort ? USAGE_LABELLED_MAX : 0],
    [{ ...keyed, ...other }, USAGE_KEYED_MAX],
    [{ ...caller, keyId: OTHERS_ID, ...other }, USAGE_AGENTS_MAX],
  ];
  const found = accounts.find(
    ([account, entriesMax]) =>
      before.length < entriesMax || before.some((entry) => isSameAccount(entry, account)),
  );
  return found?.[0] ?? { agentId: OTHERS_ID, teamId: null, keyId: OTHERS_ID, labels: OTHERS_ID };
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

/** A day's usage within a scope. */
export function filterDailyUsage(day: DailyUsage, scope: UsageScope): DailyUsage {
  return day.filter((entry) => isInScope(entry, scope));
}

/** A day's usage with one entry per agent. */
export function sumByAgent(day: DailyUsage): AgentDayUsage[] {
  const byAgent = Map.groupBy(day, ({ agentId }) => agentId);
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

function isSameAccount(one: Account, other: Account): boolean {
  return (
    one.agentId === other.agentId &&
    one.teamId === other.teamId &&
    one.keyId === other.keyId &&
    one.labels === other.labels
  );
}

/** The first day (UTC) of a period of `days` days that ends on the day of `now`. */
export function firstDayOf(now: number, days: number): string {
  return utcDayOf(now - (days - 1) * DAY_MS);
}

export function utcDayOf(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}
