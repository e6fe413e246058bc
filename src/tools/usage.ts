import { database } from "../db/client.ts";
import { isOpen, type Breaker } from "../domain/breaker.ts";
import { humanDuration } from "../domain/duration.ts";
import type { Failure } from "../domain/failure.ts";
import { sumOf } from "../domain/money.ts";
import { fail, ok, type Result } from "../domain/result.ts";
import {
  dayOf,
  firstDay,
  type CallRecord,
  type DayUsage,
  type UsageScope,
} from "../domain/usage.ts";
import { hasHistory } from "./catalogue.ts";
import { meterOf } from "./port.ts";

/**
 * A tool's usage within `scope` in the last `days` days (UTC), by day and agent, and its last calls, newest
 * first. Costs in US dollars. Usage of retired tools is kept.
 */
export async function usageReport(
  env: Pick<Env, "DB" | "METERS">,
  toolId: string,
  days: number,
  scope: UsageScope,
): Promise<Result<object, Failure>> {
  if (!(await hasHistory(database(env.DB), toolId, scope.agentIds))) {
    return fail({ kind: "not_found", what: "tool", id: toolId });
  }
  const now = Date.now();
  const from = firstDay(now, days);
  const report = await meterOf(env.METERS, toolId).usage(from, scope);
  const { breaker, agentBreakers } = report;
  return ok({
    toolId,
    from,
    to: dayOf(now),
    ...lastUseOf(report.recent),
    total: totalOf(report.days),
    days: report.days.map(dayView),
    recentCalls: report.recent.map(callView),
    breaker: breakerView(breaker, now),
    ...(agentBreakers.length === 0
      ? {}
      : {
          agentBreakers: agentBreakers.map((one) => ({
            agentId: one.agentId,
            ...breakerView(one.breaker, now),
          })),
        }),
  });
}

/** `recent` is sorted newest first. */
function lastUseOf([newest]: readonly CallRecord[]): object {
  return newest === undefined ? {} : { lastUsedAt: new Date(newest.at).toISOString() };
}

/** Half open: the next call shows whether the system is well again. */
function breakerView(breaker: Breaker, now: number): object {
  if (!isOpen(breaker)) return { state: "closed" };
  if (breaker.restsUntil <= now) return { state: "half-open" };
  return { state: "open", until: new Date(breaker.restsUntil).toISOString() };
}

function totalOf(days: readonly DayUsage[]): object {
  const sum = (pick: (one: DayUsage) => number): number =>
    days.reduce((before, one) => before + pick(one), 0);
  return {
    calls: sum(({ calls }) => calls),
    failed: sum(({ failed }) => failed),
    cost: sumOf(days.map(({ cost }) => cost)),
    duration: humanDuration(sum(({ durationMs }) => durationMs)),
  };
}

function dayView({ day, calls, failed, cost, durationMs, agentId }: DayUsage): object {
  const duration = humanDuration(durationMs);
  return { day, calls, failed, cost, ...namedAgent(agentId), duration };
}

function callView({ at, capability, cost, agentId, taskId, code, durationMs }: CallRecord): object {
  return {
    at: new Date(at).toISOString(),
    capability,
    cost,
    ...namedAgent(agentId),
    ...(taskId === null ? {} : { taskId }),
    ok: code === null,
    ...(code === null ? {} : { code }),
    duration: humanDuration(durationMs),
  };
}

/** Calls by nobody in particular name no agent. */
function namedAgent(agentId: string | null): object {
  return agentId === null ? {} : { agentId };
}
