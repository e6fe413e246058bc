import { sql, type SQL } from "drizzle-orm";

/** The fields of a call that determine which policies cover it. `agentId` is null for a call without an agent. */
export interface CoveredCall {
  readonly toolId: string;
  readonly capability: string;
  readonly agentId: string | null;
}

/** True for the rows of `policies` that are in force and cover the call. */
export function coversCallSql({ toolId, capability, agentId }: CoveredCall): SQL {
  const targets = ["*", toolId, `${toolId}/*`, `${toolId}/${capability}`];
  // Most policies can be skipped without reading their entries.
  const mayCoverTool = sql.join(
    targets.map((target) => sql`instr(policies.tools, ${JSON.stringify(target)}) > 0`),
    sql` OR `,
  );
  const coversTool = sql`(${mayCoverTool}) AND EXISTS (SELECT 1 FROM json_each(policies.tools) AS target
    WHERE target.value IN (SELECT value FROM json_each(${JSON.stringify(targets)})))`;
  const isNamed = sql`${agentId ?? ""} IN (SELECT value FROM json_each(policies.agents))`;
  const isMember = sql`EXISTS (SELECT 1 FROM members WHERE members.agent_id = ${agentId ?? ""}
    AND members.team_id IN (SELECT value FROM json_each(policies.teams)))`;
  const coversAll = sql`(policies.agents = '[]' AND policies.teams = '[]')`;
  return sql`policies.enabled AND ${coversTool} AND (${coversAll} OR ${isNamed} OR ${isMember})`;
}
