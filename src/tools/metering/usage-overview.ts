import type * as z from "zod";
import { type DirectoryEnv, getDatabase } from "../../platform/d1/client.ts";
import { log } from "../../platform/log.ts";
import { onAbort } from "../../platform/promises.ts";
import { createFieldFailure, type Failure } from "../../kernel/failure.ts";
import { fail, ok, preview, type Result } from "../../kernel/result.ts";
import { decodeCursor, encodeCursor, type CursorScope } from "../../http/cursor.ts";
import { sumWorkCosts } from "../../tasks/api/work-costs.ts";
import { listToolsWithHistory } from "../catalogue.store.ts";
import {
  CALL_LOST_AFTER_MS,
  USAGE_METERS_AT_ONCE,
  USAGE_ROWS_MAX,
  USAGE_TIMEOUT_MS,
  USAGE_TOOLS_MAX,
} from "../limits.ts";
import type { UsageScope } from "../model/usage.ts";
import {
  groupWorkCosts,
  mergeGroups,
  resolvePeriod,
  sortGroups,
  type UsageGroup,
  type UsagePeriod,
} from "../model/usage-groups.ts";
import type { overviewQuery } from "./overview-schemas.ts";
import { toolMeterStub, type MeterQuery } from "./tool-meter.rpc.ts";

type Query = z.output<typeof overviewQuery>;
type OverviewEnv = DirectoryEnv & Pick<Env, "METERS" | "SIGNING_KEY">;

/** The usage of one page of tools. */
export interface UsageOverview {
  readonly period: UsagePeriod;
  /** Sorted by the fields of `groupBy`, in that order. */
  readonly groups: readonly UsageGroup[];
  /** The tools whose meters did not respond. Their usage is not included. */
  readonly missing: readonly string[];
  readonly nextCursor: string | null;
}

/** What one meter returned: its groups, that there are too many of them, or nothing. */
type Reading = readonly UsageGroup[] | "too_many" | "missing";

/**
 * Adds up the usage within `scope` that the meters of all tools have counted, except those of tools that were retired
 * before the period. With more tools than USAGE_TOOLS_MAX or
 * more rows than USAGE_ROWS_MAX, usage by tool is paged, and other usage is rejected, because its sums would be
 * incomplete.
 */
export async function buildUsageOverview(
  env: OverviewEnv,
  query: Query,
  scope: UsageScope,
): Promise<Result<UsageOverview, Failure>> {
  const isBound = scope.agentIds !== null || scope.teamId !== null;
  if (isBound && query.groupBy.includes("key")) {
    const message = "must not include key, because this key is bound to an agent or a team";
    return fail(createFieldFailure("groupBy", message));
  }
  const start = findStart(env.SIGNING_KEY, query);
  if (!start.ok) return start;
  const { period, after } = start.value;
  const isByTool = query.groupBy.includes("tool");
  const tools = await listToolsWithHistory(getDatabase(env.DB), {
    toolId: query.toolId,
    after,
    agentIds: scope.agentIds,
    // A call that was running when its tool was retired is counted when it ends.
    retiredSince: Date.parse(period.from) - CALL_LOST_AFTER_MS,
    // One more than the limit shows whether there is a next page.
    limit: USAGE_TOOLS_MAX + 1,
  });
  if (tools.length > USAGE_TOOLS_MAX && !isByTool) {
    const message = `must include tool, because there are more than ${USAGE_TOOLS_MAX} tools; or select one with toolId`;
    return fail(createFieldFailure("groupBy", message));
  }
  const asked = { period, groupBy: query.groupBy, groupsMax: USAGE_ROWS_MAX };
  const narrowed = {
    agentIds: narrowAgentIds(scope.agentIds, query.agentId),
    teamId: scope.teamId,
  };
  const work = await readWork(env, query, { period, after }, narrowed);
  const page = await readPage(env, tools.slice(0, USAGE_TOOLS_MAX), asked, narrowed);
  if (page === null || work === null) return fail(tooManyRows());
  const { missing, toolsRead } = page;
  // A page by tool ends before its rows exceed the limit, which the rows without a tool can exceed.
  const groups = mergeGroups([...work, ...page.groups]);
  if (!isByTool && groups.length > USAGE_ROWS_MAX) return fail(tooManyRows());
  const last = tools[toolsRead - 1];
  return ok({
    period,
    groups: sortGroups(groups, query.groupBy),
    missing,
    nextCursor:
      last !== undefined && toolsRead < tools.length
        ? encodeCursor(env.SIGNING_KEY, listingOf(query), [period.from, period.to, last].join(" "))
        : null,
  });
}

function tooManyRows(): Failure {
  const message = `would return more than ${USAGE_ROWS_MAX} rows; choose a shorter period or fewer groups, or select an agent with agentId`;
  return createFieldFailure("groupBy", message);
}

/** The work of models and agents, which belongs to no tool. It is on the first page; null if it has too many rows. */
async function readWork(
  env: OverviewEnv,
  { groupBy, toolId }: Query,
  { period, after }: { readonly period: UsagePeriod; readonly after: string },
  scope: UsageScope,
): Promise<readonly UsageGroup[] | null> {
  if (toolId !== undefined || after !== "") return [];
  const costs = await sumWorkCosts(env, { period, groupBy, rowsMax: USAGE_ROWS_MAX }, scope);
  const groups = costs === null ? null : groupWorkCosts(costs, groupBy);
  return groups !== null && groups.length > USAGE_ROWS_MAX ? null : groups;
}

/** Where a page starts. A cursor contains the period, because the default period changes at midnight. */
function findStart(
  secret: string,
  query: Query,
): Result<{ readonly period: UsagePeriod; readonly after: string }, Failure> {
  if (query.cursor === undefined) {
    const period = resolvePeriod(query, Date.now());
    return period.ok
      ? ok({ period: period.value, after: "" })
      : fail(createFieldFailure(period.failure.path, period.failure.message));
  }
  const place = decodeCursor(secret, listingOf(query), query.cursor);
  if (place === null) {
    const rule = "must be a nextCursor from a request with the same parameters";
    return fail(createFieldFailure("cursor", `${rule}, got ${preview(query.cursor)}`));
  }
  const [from = "", to = "", after = ""] = place.split(" ");
  return ok({ period: { from, to }, after });
}

function listingOf({ from, to, groupBy, agentId, toolId }: Query): CursorScope {
  const filter = [from, to, groupBy.join(","), agentId, toolId].map((value) => value ?? "");
  return { use: "usage", filter };
}

/** The named agent if the key may see it; without a name, all agents that the key may see. */
function narrowAgentIds(
  agentIds: readonly string[] | null,
  named: string | undefined,
): readonly string[] | null {
  if (named === undefined) return agentIds;
  return agentIds === null || agentIds.includes(named) ? [named] : [];
}

interface Page {
  readonly groups: readonly UsageGroup[];
  readonly missing: readonly string[];
  readonly toolsRead: number;
}

/** Reads tools' meters, a few at a time, until the page is full. Null if there are more rows than fit on a page. */
async function readPage(
  env: OverviewEnv,
  tools: readonly string[],
  query: MeterQuery,
  scope: UsageScope,
): Promise<Page | null> {
  const isByTool = query.groupBy.includes("tool");
  const deadline = new AbortController();
  const timer = setTimeout(() => deadline.abort(), USAGE_TIMEOUT_MS);
  const missing: string[] = [];
  let groups: UsageGroup[] = [];
  let toolsRead = 0;
  try {
    while (toolsRead < tools.length) {
      const batch = tools.slice(toolsRead, toolsRead + USAGE_METERS_AT_ONCE);
      const readings = await Promise.all(
        batch.map((toolId) => readMeter(env, toolId, query, scope, deadline.signal)),
      );
      for (const [place, reading] of readings.entries()) {
        const toolId = batch[place] ?? "";
        if (reading === "too_many") return null;
        if (reading === "missing") missing.push(toolId);
        else if (!isByTool) groups.push(...reading);
        else if (groups.length > 0 && groups.length + reading.length > USAGE_ROWS_MAX)
          return { groups, missing, toolsRead };
        else groups.push(...reading.map((group) => ({ ...group, toolId })));
        toolsRead += 1;
      }
      if (!isByTool) groups = mergeGroups(groups);
      if (groups.length > USAGE_ROWS_MAX) return null;
    }
    return { groups, missing, toolsRead };
  } finally {
    clearTimeout(timer);
  }
}

async function readMeter(
  { METERS }: OverviewEnv,
  toolId: string,
  query: MeterQuery,
  scope: UsageScope,
  deadline: AbortSignal,
): Promise<Reading> {
  if (deadline.aborted) return "missing";
  const { aborted, clear } = onAbort(deadline);
  try {
    const read = toolMeterStub(METERS, toolId).sumUsage(query, scope);
    const found = await Promise.race([read.then((groups) => groups ?? "too_many"), aborted]);
    return found ?? "missing";
  } catch (error) {
    log.warn("usage_read_failed", { toolId, error });
    return "missing";
  } finally {
    clear();
  }
}
