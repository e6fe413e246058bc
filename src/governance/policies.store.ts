import { asc, eq, getTableColumns, sql } from "drizzle-orm";
import { jsonList, type Database } from "../platform/d1/client.ts";
import { coversCallSql, type CoveredCall } from "../platform/d1/policy-predicates.ts";
import { policiesTable } from "../platform/d1/schema.ts";
import { POLICIES_MAX } from "./limits.ts";

export type StoredPolicy = typeof policiesTable.$inferSelect;

/** A policy with the entries of `tools` whose tool or capability does not exist. */
export interface ListedPolicy extends StoredPolicy {
  readonly unknownTargets: readonly string[];
}

/** Whether `target.value`, an entry of a policy's `tools`, names a tool or a capability that does not exist. */
const isUnknownTarget = sql`target.value <> '*' AND (
  NOT EXISTS (SELECT 1 FROM tools WHERE tools.id = CASE instr(target.value, '/') WHEN 0 THEN target.value
    ELSE substr(target.value, 1, instr(target.value, '/') - 1) END)
  OR (instr(target.value, '/') > 0 AND target.value NOT LIKE '%/*' AND NOT EXISTS (
    SELECT 1 FROM capabilities WHERE capabilities.tool_id || '/' || capabilities.id = target.value
      AND capabilities.tool_id = substr(target.value, 1, instr(target.value, '/') - 1))))`;

const unknownTargets = sql<string>`(SELECT json_group_array(target.value)
  FROM json_each(policies.tools) AS target WHERE ${isUnknownTarget})`;

function selectPolicies(db: Database) {
  return db.select({ ...getTableColumns(policiesTable), unknownTargets }).from(policiesTable);
}

type SelectedPolicy = Awaited<ReturnType<typeof selectPolicies>>[number];

function toListedPolicy(row: SelectedPolicy): ListedPolicy {
  return { ...row, unknownTargets: JSON.parse(row.unknownTargets) };
}

/** One page of policies, ordered by id, and the total number of policies. */
export async function listPolicies(
  db: Database,
  page: { readonly limit: number; readonly offset: number },
): Promise<{ policies: ListedPolicy[]; total: number }> {
  const [rows, counts] = await db.batch([
    selectPolicies(db).orderBy(asc(policiesTable.id)).limit(page.limit).offset(page.offset),
    db.select({ count: sql<number>`count(*)` }).from(policiesTable),
  ]);
  return { policies: rows.map(toListedPolicy), total: counts[0]?.count ?? 0 };
}

export async function findPolicy(db: Database, id: string): Promise<ListedPolicy | null> {
  const row = await selectPolicies(db).where(eq(policiesTable.id, id)).get();
  return row === undefined ? null : toListedPolicy(row);
}

/** The policies in force that cover a call, ordered by id. */
export async function listCoveringPolicies(
  db: Database,
  call: CoveredCall,
): Promise<ListedPolicy[]> {
  const rows = await selectPolicies(db).where(coversCallSql(call)).orderBy(asc(policiesTable.id));
  return rows.map(toListedPolicy);
}

/** The first of a call's tool, capability and agent that does not exist; null if all exist. */
export async function findMissingResource(
  db: Database,
  { toolId, capability, agentId }: CoveredCall,
): Promise<{ what: "tool" | "capability" | "agent"; id: string } | null> {
  const row = await db.get<{ tool: number; capability: number; agent: number }>(sql`SELECT
    EXISTS (SELECT 1 FROM tools WHERE id = ${toolId}) AS tool,
    EXISTS (SELECT 1 FROM capabilities WHERE tool_id = ${toolId} AND id = ${capability}) AS capability,
    EXISTS (SELECT 1 FROM agents WHERE id = ${agentId ?? ""}) AS agent`);
  if (row.tool === 0) return { what: "tool", id: toolId };
  if (row.capability === 0) return { what: "capability", id: capability };
  return agentId !== null && row.agent === 0 ? { what: "agent", id: agentId } : null;
}

/** What a policy names that does not exist. */
export interface UnknownNames {
  readonly tools: readonly string[];
  readonly agents: readonly string[];
  readonly teams: readonly string[];
}

export async function findUnknownNames(
  db: Database,
  { tools, agents, teams }: Pick<StoredPolicy, "tools" | "agents" | "teams">,
): Promise<UnknownNames> {
  const row = await db.get<Record<keyof UnknownNames, string>>(sql`SELECT
    (SELECT json_group_array(target.value) FROM json_each(${JSON.stringify(tools)}) AS target
      WHERE ${isUnknownTarget}) AS tools,
    (SELECT json_group_array(value) FROM ${jsonList(agents)}
      WHERE value NOT IN (SELECT id FROM agents)) AS agents,
    (SELECT json_group_array(value) FROM ${jsonList(teams)}
      WHERE value NOT IN (SELECT id FROM teams)) AS teams`);
  const listOf = (name: keyof UnknownNames): string[] => JSON.parse(row[name]);
  return { tools: listOf("tools"), agents: listOf("agents"), teams: listOf("teams") };
}

/** Creates a policy. Returns false and writes nothing if the id is taken or there are already POLICIES_MAX policies. */
export async function insertPolicy(db: Database, policy: StoredPolicy): Promise<boolean> {
  const values = Object.entries(getTableColumns(policiesTable)).map(
    ([name, column]) => sql`${sql.param(Reflect.get(policy, name), column)}`,
  );
  const inserted = await db
    .insert(policiesTable)
    .select(
      sql`SELECT ${sql.join(values, sql`, `)} WHERE (SELECT count(*) FROM policies) < ${POLICIES_MAX}`,
    )
    .onConflictDoNothing()
    .returning({ id: policiesTable.id });
  return inserted.length > 0;
}

/** The changed fields of a policy; those that are undefined stay the same. */
type PolicyChange = {
  readonly [Name in Exclude<keyof StoredPolicy, "id" | "createdBy" | "createdAt">]?:
    | StoredPolicy[Name]
    | undefined;
};

/** Changes a policy. Returns false if it does not exist. */
export async function updatePolicy(
  db: Database,
  id: string,
  change: PolicyChange,
): Promise<boolean> {
  const updated = await db
    .update(policiesTable)
    .set(change)
    .where(eq(policiesTable.id, id))
    .returning({ id: policiesTable.id });
  return updated.length > 0;
}

export async function deletePolicy(db: Database, id: string): Promise<boolean> {
  const deleted = await db
    .delete(policiesTable)
    .where(eq(policiesTable.id, id))
    .returning({ id: policiesTable.id });
  return deleted.length > 0;
}
