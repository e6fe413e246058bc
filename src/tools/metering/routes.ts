import { Hono } from "hono";
import { selectMediaType } from "../../kernel/accept.ts";
import { formatCsv } from "../../kernel/csv.ts";
import type { Failure } from "../../kernel/failure.ts";
import { fail, ok } from "../../kernel/result.ts";
import { formatDuration } from "../../kernel/text.ts";
import type { AppContext, AppEnv } from "../../http/envelope.ts";
import { answerOtherMethods, defineEndpoint } from "../../http/endpoint.ts";
import type { UsageCounts } from "../model/usage.ts";
import {
  sumGroups,
  USAGE_FIELDS,
  valueOf,
  type UsageGroup,
  type UsageGrouping,
  type WorkCosts,
} from "../model/usage-groups.ts";
import { usageOperations } from "./operations.ts";
import type { UsageOverviewResponse } from "./overview-schemas.ts";
import { buildUsageOverview, type UsageOverview } from "./usage-overview.ts";

const VARY = { Vary: "Accept" };

const getUsage = defineEndpoint(usageOperations.getUsage, async (c, { query }) => {
  const built = await buildUsageOverview(c.env, query, c.get("key"));
  if (!built.ok) return built;
  const overview = built.value;
  const accepted = selectMediaType(c.req.header("Accept"), ["application/json", "text/csv"]);
  const isCsv = query.format === undefined ? accepted === "text/csv" : query.format === "csv";
  if (!isCsv)
    return ok({
      data: overviewView(overview, query.groupBy),
      headers: VARY,
      warnings: missingWarnings(overview.missing),
    });
  const [missing] = missingWarnings(overview.missing);
  return missing === undefined
    ? csvResponse(c, overview, query.groupBy)
    : fail<Failure>({
        kind: "unavailable",
        what: "The report",
        problem: `is incomplete: ${missing}`,
      });
});

function missingWarnings(missing: readonly string[]): string[] {
  if (missing.length === 0) return [];
  return [`the meters of these tools did not respond: ${missing.join(", ")}`];
}

function overviewView(
  { period, groups, missing, nextCursor }: UsageOverview,
  groupBy: readonly UsageGrouping[],
): UsageOverviewResponse {
  return {
    ...period,
    groupBy,
    total: countsView(sumGroups(groups)),
    usage: groups.map(rowView),
    missing,
    nextCursor,
  };
}

function rowView(group: UsageGroup): UsageOverviewResponse["usage"][number] {
  const { day, agentId, toolId, teamId, keyId, label } = group;
  return {
    day,
    agentId: agentId ?? undefined,
    toolId: toolId ?? undefined,
    teamId: teamId ?? undefined,
    keyId: keyId ?? undefined,
    label: label ?? undefined,
    ...countsView(group),
  };
}

function countsView(group: UsageCounts & WorkCosts) {
  const { calls, failed, cost, durationMs, modelCost, agentCost } = group;
  const { inputTokens: input, outputTokens: output } = group;
  return {
    calls,
    failed,
    cost,
    modelCost: modelCost || undefined,
    agentCost: agentCost || undefined,
    tokens: input + output > 0 ? { input, output } : undefined,
    duration: formatDuration(durationMs),
  };
}

const COUNTS = [
  "calls",
  "failed",
  "cost",
  "durationMs",
  "modelCost",
  "agentCost",
  "inputTokens",
  "outputTokens",
] as const;

function csvResponse(
  c: AppContext,
  { period, groups, nextCursor }: UsageOverview,
  groupBy: readonly UsageGrouping[],
): Response {
  const header = [...groupBy.map((one) => USAGE_FIELDS[one]), ...COUNTS];
  const rows = groups.map((group) => [
    ...groupBy.map((one) => valueOf(group, one)),
    ...COUNTS.map((count) => group[count]),
  ]);
  return c.body(formatCsv(header, rows), 200, {
    ...VARY,
    "Content-Type": "text/csv; charset=utf-8",
    "Content-Disposition": `attachment; filename="usage-${period.from}-${period.to}.csv"`,
    "Cache-Control": "no-store",
    ...(nextCursor === null ? {} : { Link: `<${nextUrl(c.req.url, nextCursor)}>; rel="next"` }),
  });
}

function nextUrl(url: string, cursor: string): string {
  const next = new URL(url);
  next.searchParams.set("cursor", cursor);
  return next.href;
}

export const usageRoutes = answerOtherMethods(new Hono<AppEnv>().get("/agents/usage", ...getUsage));
