import { sql, type SQL } from "drizzle-orm";
import { ROOT_KEY_ID } from "../../keys/model/key.ts";
import { type Database, jsonList } from "../../platform/d1/client.ts";

/** Which costs to sum, and by what. `agentIds`, `teamId`: null for all. A team's costs include those of no team. */
export interface DayCostQuery {
  readonly from: string;
  readonly to: string;
  readonly agentIds: readonly string[] | null;
  readonly teamId: string | null;
  readonly by: ReadonlySet<"day" | "agent" | "team" | "key" | "label">;
  readonly rowsMax: number;
}

/** Costs in millionths of a dollar. A field is null if costs are not summed by it. `labels`: as JSON. */
export interface SummedCosts {
  readonly day: string | null;
  readonly agentId: string | null;
  readonly teamId: string | null;
  readonly keyId: string | null;
  readonly labels: string | null;
  readonly modelMicro: number;
  readonly agentMicro: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
}

/** The condition of the index `directory_day_costs`. Quotes within JSON strings are escaped, so this is the field. */
const HAS_DAY_COSTS = sql`instr(details, '"dayCosts"') > 0`;
/** The last day of a task's costs, as the index contains it. */
const LAST_DAY = sql`details ->> '$.dayCosts[#-1].day'`;

/**
 * Sums the costs of models and agents' work over the tasks in this database, as of each task's last change other than
 * progress. At most `rowsMax` rows.
 */
export function sumDayCosts(db: Database, query: DayCostQuery): Promise<SummedCosts[]> {
  return db.all<SummedCosts>(dayCostsSql(query));
}

/** The query, or its plan. */
export function dayCostsSql(
  { from, to, agentIds, teamId, by, rowsMax }: DayCostQuery,
  isPlan = false,
): SQL {
  const field = (name: "day" | "agent" | "team" | "key" | "label", value: SQL): SQL =>
    by.has(name) ? value : sql`NULL`;
  const agents =
    agentIds === null ? sql`1` : sql`(cost.value ->> 'agentId') IN ${jsonList(agentIds)}`;
  const team = teamId === null ? sql`1` : sql`(team_id IS NULL OR team_id = ${teamId})`;
  return sql`
    ${isPlan ? sql`EXPLAIN QUERY PLAN` : sql``} SELECT
      ${field("day", sql`cost.value ->> 'day'`)} AS day,
      ${field("agent", sql`cost.value ->> 'agentId'`)} AS agentId,
      ${field("team", sql`team_id`)} AS teamId,
      ${field("key", sql`coalesce(key_id, ${ROOT_KEY_ID})`)} AS keyId,
      ${field("label", sql`labels`)} AS labels,
      sum(CAST(round((cost.value ->> 'modelCost') * 1000000) AS INTEGER)) AS modelMicro,
      sum(CAST(round((cost.value ->> 'agentCost') * 1000000) AS INTEGER)) AS agentMicro,
      sum(cost.value ->> 'inputTokens') AS inputTokens,
      sum(cost.value ->> 'outputTokens') AS outputTokens
    FROM directory, json_each(directory.details, '$.dayCosts') AS cost
    WHERE ${HAS_DAY_COSTS} AND ${LAST_DAY} >= ${from}
      AND (cost.value ->> 'day') BETWEEN ${from} AND ${to} AND ${agents} AND ${team}
    GROUP BY 1, 2, 3, 4, 5 LIMIT ${rowsMax}`;
}
