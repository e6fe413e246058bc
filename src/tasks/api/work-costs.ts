import {
  type DirectoryEnv,
  getDatabase,
  listDirectoryDatabases,
} from "../../platform/d1/client.ts";
import type {
  UsageAccount,
  UsageGrouping,
  UsagePeriod,
  WorkCosts,
} from "../../tools/model/usage-groups.ts";
import type { UsageScope } from "../../tools/model/usage.ts";
import { sumDayCosts, type SummedCosts } from "../directory/day-costs.store.ts";

/** What costs to read. `rowsMax`: the maximum number of sums. */
interface WorkCostQuery {
  readonly period: UsagePeriod;
  readonly groupBy: readonly UsageGrouping[];
  readonly rowsMax: number;
}

/**
 * The costs of models and agents' work in all tasks within `scope`, summed by what they are grouped by; null if there
 * are more sums than `rowsMax`.
 */
export async function sumWorkCosts(
  env: DirectoryEnv,
  { period, groupBy, rowsMax }: WorkCostQuery,
  scope: UsageScope,
): Promise<readonly (UsageAccount & WorkCosts)[] | null> {
  const by = new Set(groupBy.filter((one) => one !== "tool"));
  const query = { ...period, ...scope, by, rowsMax: rowsMax + 1 };
  const shards = listDirectoryDatabases(env);
  const sums = (
    await Promise.all(shards.map((one) => sumDayCosts(getDatabase(one), query)))
  ).flat();
  return sums.length > rowsMax ? null : sums.map(toWorkCosts);
}

function toWorkCosts({ day, labels, modelMicro, agentMicro, ...sum }: SummedCosts) {
  const costs = { modelCost: modelMicro / 1_000_000, agentCost: agentMicro / 1_000_000 };
  return { ...sum, day: day ?? "", ...costs, ...(labels === null ? {} : { labels }) };
}
