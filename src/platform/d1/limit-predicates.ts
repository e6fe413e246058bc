import { sql, type SQL } from "drizzle-orm";
import type { LimitMeasure } from "../../governance/model/spending/limit.ts";

/** What determines which limits cover a tool call or a model turn; null if there is none. */
export interface LimitedUse {
  readonly agentId: string | SQL | null;
  readonly toolId: string | null;
  readonly keyId: string | null;
  readonly measures: readonly LimitMeasure[];
}

/** A column with the LimitTerms in force that cover a call or a turn, as a JSON array. */
export function coveringLimitsSql({ agentId, toolId, keyId, measures }: LimitedUse): SQL<string> {
  // A key cannot escape its limits by creating another key.
  const creators = sql`(WITH RECURSIVE creators(id) AS (SELECT ${keyId ?? ""}
    UNION SELECT keys.created_by FROM keys JOIN creators ON keys.id = creators.id) SELECT id FROM creators)`;
  const teams = sql`(SELECT team_id FROM members WHERE members.agent_id = ${agentId ?? ""})`;
  return sql<string>`(SELECT json_group_array(json_object('id', limits.id,
      'subject', limits.scope_kind || ' ' || limits.scope_id, 'measure', limits.measure, 'per', limits.per,
      'timeZone', limits.time_zone, 'limit', limits.amount, 'warnAt', limits.warn_at,
      'onExceeded', limits.on_exceeded))
    FROM limits WHERE limits.enabled
      AND limits.measure IN (${sql.join(
        measures.map((measure) => sql`${measure}`),
        sql`, `,
      )})
      AND CASE limits.scope_kind WHEN 'agent' THEN limits.scope_id = ${agentId ?? ""}
        WHEN 'tool' THEN limits.scope_id = ${toolId ?? ""}
        WHEN 'key' THEN limits.scope_id IN ${creators}
        WHEN 'team' THEN limits.scope_id IN ${teams} ELSE 1 END)`;
}
