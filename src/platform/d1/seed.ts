import type { SeedAgent } from "../../agents/model/seed-agents.ts";
import type { ToolDefinition } from "../../tools/model/tool.ts";

export interface SeedData {
  readonly tools: readonly ToolDefinition[];
  readonly teams: readonly { readonly id: string; readonly name: string }[];
  readonly agents: readonly SeedAgent[];
}

/**
 * SQL that seeds a database and can be run repeatedly. Tools are updated to their current definitions. Agents, teams
 * and grants are created once and never changed again, because people may have changed or deleted them. A team is
 * created only together with a new member.
 */
export function buildSeedStatements({ tools, teams, agents }: SeedData, now: number): string[] {
  const capabilities = tools.flatMap(({ id, capabilities: list }) =>
    list.map((capability, position) => ({ toolId: id, position, ...capability })),
  );
  const grants = agents.flatMap(({ id, tools: granted }) =>
    Object.entries(granted).map(([toolId, proficiency]) => ({ agentId: id, toolId, proficiency })),
  );
  const members = agents.flatMap(({ id, teams: teamIds }) =>
    teamIds.map((teamId) => ({ agentId: id, teamId })),
  );
  const isNew = (id: string) =>
    `${id} NOT IN (SELECT id FROM agents UNION ALL SELECT id FROM deleted_agents)`;
  const isNewAgent = isNew("value->>'agentId'");
  const isKept = "value->>'teamId' NOT IN (SELECT id FROM deleted_teams)";
  const newMembers = `SELECT value->>'teamId' FROM ${jsonRows(members)} WHERE ${isNewAgent} AND ${isKept}`;
  return [
    `INSERT INTO tools (id, name, category, description, documentation, auth_type, auth_scopes, rate_requests, rate_period, price_free, price_overage)
     SELECT value->>'id', value->>'name', value->>'category', value->>'description', value->>'documentation',
            value->>'$.authentication.type', value->'$.authentication.scopes', value->>'$.rateLimit.requests',
            value->>'$.rateLimit.period', value->>'$.pricing.free', value->>'$.pricing.overage'
     FROM ${jsonRows(tools)} WHERE true
     ON CONFLICT (id) DO UPDATE SET
       name = excluded.name, category = excluded.category, description = excluded.description,
       documentation = excluded.documentation, auth_type = excluded.auth_type, auth_scopes = excluded.auth_scopes,
       rate_requests = excluded.rate_requests, rate_period = excluded.rate_period,
       price_free = excluded.price_free, price_overage = excluded.price_overage;`,
    `DELETE FROM capabilities WHERE tool_id IN (SELECT value->>'id' FROM ${jsonRows(tools)})
       AND (tool_id, id) NOT IN (SELECT value->>'toolId', value->>'id' FROM ${jsonRows(capabilities)});`,
    `INSERT INTO capabilities (tool_id, id, position, name, description, parameters)
     SELECT value->>'toolId', value->>'id', value->>'position', value->>'name', value->>'description', value->'parameters'
     FROM ${jsonRows(capabilities)} WHERE true
     ON CONFLICT (tool_id, id) DO UPDATE SET
       position = excluded.position, name = excluded.name, description = excluded.description, parameters = excluded.parameters;`,
    `INSERT INTO grants (agent_id, tool_id, proficiency, capabilities, granted_at)
     SELECT value->>'agentId', value->>'toolId', value->>'proficiency', NULL, ${now}
     FROM ${jsonRows(grants)} WHERE ${isNewAgent} ON CONFLICT DO NOTHING;`,
    `INSERT INTO members (team_id, agent_id)
     SELECT value->>'teamId', value->>'agentId' FROM ${jsonRows(members)} WHERE ${isNewAgent} AND ${isKept} ON CONFLICT DO NOTHING;`,
    `INSERT INTO teams (id, name)
     SELECT value->>'id', value->>'name' FROM ${jsonRows(teams)} WHERE value->>'id' IN (${newMembers}) ON CONFLICT DO NOTHING;`,
    `INSERT INTO agents (id, name, description, skills, created_at)
     SELECT value->>'id', value->>'name', value->>'description', value->'skills', ${now}
     FROM ${jsonRows(agents)} WHERE ${isNew("value->>'id'")} ON CONFLICT DO NOTHING;`,
  ];
}

/** A list as a table of JSON values. Quotes are doubled because the JSON becomes part of the SQL. */
function jsonRows(list: readonly object[]): string {
  return `json_each('${JSON.stringify(list).replaceAll("'", "''")}')`;
}
