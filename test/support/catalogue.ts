import { env } from "cloudflare:workers";
import { buildSeedStatements } from "../../src/platform/d1/seed.ts";
import type { ToolDefinition } from "../../src/tools/model/tool.ts";

/** Inserts or updates catalogue tools, as a release's seed does. */
export async function registerTools(...tools: readonly ToolDefinition[]): Promise<void> {
  const statements = buildSeedStatements({ tools, teams: [], agents: [] }, Date.now());
  await env.DB.batch(statements.map((sql) => env.DB.prepare(sql)));
}

/** Builds a tool that the service does not implement, so it can be granted but not executed. */
export function foreignTool(id: string, changes: Partial<ToolDefinition> = {}): ToolDefinition {
  return {
    id,
    name: `Tool ${id}`,
    category: "integration",
    description: "Stands in the catalogue.",
    documentation: "https://example.com/docs",
    authentication: { type: "none", scopes: [] },
    rateLimit: { requests: 60, period: "minute" },
    pricing: { model: "usage", free: 10, overage: 0.01 },
    capabilities: [
      {
        id: "fetch",
        name: "Fetch",
        description: "Fetches a record.",
        parameters: [{ name: "record", type: "string", required: true }],
      },
    ],
    ...changes,
  };
}

/** Registers a team with these members. */
export async function registerTeam(id: string, ...agentIds: readonly string[]): Promise<void> {
  await env.DB.batch([
    env.DB.prepare("INSERT INTO teams (id, name) VALUES (?, ?)").bind(id, `Team ${id}`),
    ...agentIds.map((agentId) =>
      env.DB.prepare("INSERT INTO members (team_id, agent_id) VALUES (?, ?)").bind(id, agentId),
    ),
  ]);
}
