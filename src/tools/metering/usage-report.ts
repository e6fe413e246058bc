import { getDatabase } from "../../platform/d1/client.ts";
import { isBreakerOpen, type CircuitBreaker } from "../model/tool-meter.ts";
import { formatDuration, toIsoTime } from "../../kernel/text.ts";
import type { Failure } from "../../kernel/failure.ts";
import { fail, ok, type Result } from "../../kernel/result.ts";
import {
  utcDayOf,
  firstDayOf,
  sumUsage,
  type ToolCallRecord,
  type AgentDayUsage,
  type UsageScope,
} from "../model/usage.ts";
import type { ToolUsageResponse } from "./schemas.ts";
import { hasToolHistory } from "../catalogue.store.ts";
import { toolMeterStub } from "./tool-meter.rpc.ts";

/** Reports a tool's usage within `scope` in the last `days` days (UTC), and its last calls. Costs are in US dollars. */
export async function buildUsageReport(
  env: Pick<Env, "DB" | "METERS">,
  toolId: string,
  days: number,
  scope: UsageScope,
): Promise<Result<ToolUsageResponse, Failure>> {
  if (!(await hasToolHistory(getDatabase(env.DB), toolId, scope.agentIds))) {
    return fail({ kind: "not_found", what: "tool", id: toolId });
  }
  const now = Date.now();
  const from = firstDayOf(now, days);
  const report = await toolMeterStub(env.METERS, toolId).usage(from, scope);
  const [newest] = report.recent;
  const { durationMs, ...total } = sumUsage(report.days);
  const agentBreakers = report.agentBreakers.map(({ agentId, breaker }) => ({
    agentId,
    ...openBreakerView(breaker, now),
  }));
  return ok({
    toolId,
    from,
    to: utcDayOf(now),
    lastUsedAt: newest === undefined ? undefined : toIsoTime(newest.at),
    total: { ...total, duration: formatDuration(durationMs) },
    days: report.days.map(dayView),
    recentCalls: report.recent.map(callView),
    breaker: isBreakerOpen(report.breaker)
      ? openBreakerView(report.breaker, now)
      : { state: "closed" },
    agentBreakers: agentBreakers.length === 0 ? undefined : agentBreakers,
  });
}

/** Shows a breaker that is not closed. Half open means that the next call is a probe. */
function openBreakerView({ restsUntil }: CircuitBreaker, now: number) {
  return restsUntil <= now
    ? { state: "half-open" as const }
    : { state: "open" as const, until: toIsoTime(restsUntil) };
}

function dayView(usage: AgentDayUsage): ToolUsageResponse["days"][number] {
  const { day, calls, failed, cost, durationMs, agentId } = usage;
  const duration = formatDuration(durationMs);
  return { day, calls, failed, cost, agentId: agentId ?? undefined, duration };
}

function callView(call: ToolCallRecord): ToolUsageResponse["recentCalls"][number] {
  const { at, capability, cost, agentId, taskId, code, durationMs } = call;
  return {
    at: toIsoTime(at),
    capability,
    cost,
    agentId: agentId ?? undefined,
    taskId: taskId ?? undefined,
    ok: code === null,
    code: code ?? undefined,
    duration: formatDuration(durationMs),
  };
}
