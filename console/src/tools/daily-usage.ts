import type { Schemas } from "../api/client.ts";

type ToolUsage = Schemas["ToolUsage"];

export interface UsageSum {
  readonly calls: number;
  readonly failed: number;
  readonly cost: number;
}

export interface DayTotal extends UsageSum {
  readonly day: string;
}

interface AgentTotal extends UsageSum {
  /** Null for calls without an agent. */
  readonly agentId: string | null;
}

const DAY_MS = 86_400_000;
const NONE: UsageSum = { calls: 0, failed: 0, cost: 0 };

function add(sum: UsageSum, { calls, failed, cost }: UsageSum): UsageSum {
  return { calls: sum.calls + calls, failed: sum.failed + failed, cost: sum.cost + cost };
}

function sumBy<Key>(
  days: ToolUsage["days"],
  keyOf: (day: ToolUsage["days"][number]) => Key,
): Map<Key, UsageSum> {
  const sums = new Map<Key, UsageSum>();
  for (const day of days) {
    const key = keyOf(day);
    sums.set(key, add(sums.get(key) ?? NONE, day));
  }
  return sums;
}

/** One total for each day of the report, oldest first. The report itself omits days without calls. */
export function dailyTotals({ from, to, days }: ToolUsage): readonly DayTotal[] {
  const sums = sumBy(days, ({ day }) => day);
  const first = Date.parse(from);
  const count = Math.round((Date.parse(to) - first) / DAY_MS) + 1;
  return Array.from({ length: count }, (_, index) => {
    const day = new Date(first + index * DAY_MS).toISOString().slice(0, 10);
    return { day, ...(sums.get(day) ?? NONE) };
  });
}

/** One total for each agent, most calls first. */
export function agentTotals({ days }: ToolUsage): readonly AgentTotal[] {
  return [...sumBy(days, ({ agentId = null }) => agentId)]
    .map(([agentId, sum]) => ({ agentId, ...sum }))
    .toSorted((one, other) => other.calls - one.calls);
}
