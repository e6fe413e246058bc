import { sql } from "drizzle-orm";
import type { Database } from "../db/client.ts";
import type { Parameter } from "../domain/capability.ts";
import { CAPABILITIES_PAGE_CHARACTERS_MAX } from "../domain/limits.ts";

/** A capability that an agent may use, with what a model must know to use it. */
export interface GrantedCapability {
  readonly toolId: string;
  readonly toolName: string;
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly parameters: readonly Parameter[];
}

/** Words of a search that count; nobody means more. */
const WORDS_MAX = 10;

/**
 * The capabilities that an agent may use, in the order of the catalogue, and how many match; null for an
 * agent that is not registered and enabled. Each word of `search` must stand in the ids, names or
 * description. A page of very large ones ends early. One query.
 */
export async function grantedCapabilities(
  db: Database,
  agentId: string,
  { search, limit }: { readonly search: string | null; readonly limit: number },
): Promise<{ shown: GrantedCapability[]; total: number } | null> {
  const words = (search ?? "").toLowerCase().split(/\s+/).filter(Boolean).slice(0, WORDS_MAX);
  const rows = await db.all<Row>(sql`
    WITH matching AS (
      SELECT t.seq, t.id AS toolId, t.name AS toolName, c.position, c.id
      FROM grants AS g
      JOIN tools AS t ON t.id = g.tool_id
      JOIN capabilities AS c ON c.tool_id = g.tool_id
      WHERE g.agent_id = ${agentId}
        AND (g.capabilities IS NULL OR c.id IN (SELECT value FROM json_each(g.capabilities)))
        AND NOT EXISTS (
          SELECT 1 FROM json_each(${JSON.stringify(words)}) WHERE instr(
            lower(t.id || ' ' || t.name || ' ' || c.id || ' ' || c.name || ' ' || c.description),
            value) = 0)
    ), page AS (
      SELECT m.*, c.name, c.description, c.parameters,
        coalesce(sum(length(c.parameters)) OVER (
          ORDER BY m.seq, m.position ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0) AS before
      FROM (SELECT * FROM matching ORDER BY seq, position LIMIT ${limit}) AS m
      JOIN capabilities AS c ON c.tool_id = m.toolId AND c.id = m.id
    )
    SELECT known.*, toolId, toolName, id, name, description, parameters
    FROM (SELECT
      EXISTS(SELECT 1 FROM agents WHERE agents.id = ${agentId} AND enabled) AS enabled,
      (SELECT count(*) FROM matching) AS total
    ) AS known
    LEFT JOIN page ON before < ${CAPABILITIES_PAGE_CHARACTERS_MAX}
    ORDER BY seq, position
  `);
  const [first] = rows;
  if (first === undefined || first.enabled === 0) return null;
  const shown = rows.flatMap(({ enabled: _enabled, total: _total, parameters, ...one }) =>
    parameters === null ? [] : [{ ...one, parameters: parametersIn(parameters) }],
  );
  return { shown, total: first.total };
}

/** What is known of the agent beside a capability of the page; `parameters` null where there is none. */
interface Row extends Omit<GrantedCapability, "parameters"> {
  readonly enabled: number;
  readonly total: number;
  readonly parameters: string | null;
}

/** As the catalogue has stored them. */
function parametersIn(text: string): Parameter[] {
  return JSON.parse(text);
}
