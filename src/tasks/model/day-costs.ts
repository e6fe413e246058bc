import { toIsoTime } from "../../kernel/text.ts";
import { sumDollars } from "../../kernel/units.ts";
import { TASK_DAY_COSTS_MAX } from "../limits.ts";

/** What the models and the work of one agent cost a task on one day (UTC). Costs are in US dollars. */
export interface TaskDayCost extends WorkCost {
  readonly day: string;
  readonly agentId: string | null;
}

interface WorkCost {
  readonly modelCost: number;
  readonly agentCost: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
}

/** Adds a cost to those of its day. Later days than TASK_DAY_COSTS_MAX are added to the last one. */
export function addDayCost(
  before: readonly TaskDayCost[],
  agentId: string | null,
  at: number,
  { modelCost = 0, agentCost = 0, inputTokens = 0, outputTokens = 0 }: Partial<WorkCost>,
): readonly TaskDayCost[] {
  const day = toIsoTime(at).slice(0, 10);
  const isFull = before.length >= TASK_DAY_COSTS_MAX;
  const known = before.find((one) => one.day === day && one.agentId === agentId);
  const own = known ?? (isFull ? before.at(-1) : undefined);
  const sum: TaskDayCost = {
    day: own?.day ?? day,
    agentId: own === undefined ? agentId : own.agentId,
    modelCost: sumDollars([own?.modelCost ?? 0, modelCost]),
    agentCost: sumDollars([own?.agentCost ?? 0, agentCost]),
    inputTokens: (own?.inputTokens ?? 0) + inputTokens,
    outputTokens: (own?.outputTokens ?? 0) + outputTokens,
  };
  const all = [...before.filter((one) => one !== own), sum];
  // A clock that was set back can add an earlier day.
  return all.toSorted((one, other) => (one.day < other.day ? -1 : one.day > other.day ? 1 : 0));
}
