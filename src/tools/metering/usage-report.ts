import { getDatabase } from "../../platform/d1/client.ts";
import { isBreakerOpen, type CircuitBreaker } from "../model/tool-meter.ts";
import { formatDuration } from "../../kernel/text.ts";
import type { Failure } from "../../kernel/failure.ts";
import { sumDollars } from "../../kernel/units.ts";
import { fail, ok, type Result } from "../../kernel/result.ts";
import {
  utcDayOf,
  firstDayOf,
  type ToolCallRecord,
  type AgentDayUsage,
  type UsageScope,
} from "../model/usage.ts";
import { hasToolHistory } from "../catalogue.store.ts";
import { toolMeterStub } from "./tool-meter.rpc.ts";

/** The usage of a tool within `scope` in the last `days` days (UTC), and its last calls. Costs in US dollars. */
export async function buildUsageReport(
  env: Pick<Env, "DB" | "METERS">,
  toolId: string,
  days: number,
  scope: UsageScope,
): Promise<Result<object, Failure>> {
  if (!(await hasToolHistory(getDatabase(env.DB), toolId, scope.agentIds))) {
    return fail({ kind: "not_found", what: "tool", id: toolId });
  }
  const now = Date.now();
  const from = firstDayOf(now, days);
  const report = await toolMeterStub(env.METERS, toolId).usage(from, scope);
  const agentBreakers = report.agentBreakers.map(({ agentId, breaker }) => ({
    agentId,
    ...breakerView(breaker, now),
  }));
  return ok({
    toolId,
    from,
    to: utcDayOf(now),
    ...lastUseView(report.recent),
    total: totalView(report.days),
    days: report.days.map(dayView),
    recentCalls: report.recent.map(callView),
    breaker: breakerView(report.breaker, now),
    ...(agentBreakers.length === 0 ? {} : { agentBreakers }),
  });
}

/** `recent` is sorted newest first. */
function lastUseView([newest]: readonly ToolCallRecord[]): object {
  return newest === undefined ? {} : { lastUsedAt: new Date(newest.at).toISOString() };
}

/** Half open: the next call is a probe. */
function breakerView(breaker: CircuitBreaker, now: number): object {
  if (!isBreakerOpen(breaker)) return { state: "closed" };
  if (breaker.restsUntil <= now) return { state: "half-open" };
  return { state: "open", until: new Date(breaker.restsUntil).toISOString() };
}

function totalView(days: readonly AgentDayUsage[]): object {
  const sum = (pick: (one: AgentDayUsage) => number): number =>
    days.reduce((before, one) => before + pick(one), 0);
  return {
    calls: sum(({ calls }) => calls),
    failed: sum(({ failed }) => failed),
    cost: sumDollars(days.map(({ cost }) => cost)),
    duration: formatDuration(sum(({ durationMs }) => durationMs)),
  };
}

function dayView({ day, calls, failed, cost, durationMs, agentId }: AgentDayUsage): object {
  const duration = formatDuration(durationMs);
  return { day, calls, failed, cost, ...agentView(agentId), duration };
}

function callView(call: ToolCallRecord): object {
  const { at, capability, cost, agentId, taskId, code, durationMs } = call;
  return {
    at: new Date(at).toISOString(),
    capability,
    cost,
    ...agentView(agentId),
    ...(taskId === null ? {} : { taskId }),
    ok: code === null,
    ...(code === null ? {} : { code }),
    duration: formatDuration(durationMs),
  };
}

/** A call without an agent names none. */
function agentView(agentId: string | null): object {
  return agentId === null ? {} : { agentId };
}
