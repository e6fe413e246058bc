import { and, asc, eq, getTableColumns, sql, type SQL } from "drizzle-orm";
import { buildConditionalInsert, jsonList, type Database } from "../platform/d1/client.ts";
import { coversCallSql, type CoveredCall } from "../platform/d1/policy-predicates.ts";
import { policiesTable } from "../platform/d1/governance-schema.ts";
import { capabilitiesTable, toolsTable } from "../platform/d1/schema.ts";
import type { AuditedBatch } from "../platform/d1/audited-batch.ts";
import { ROOT_KEY_ID } from "../keys/model/key.ts";
import { toPublicCapability, type Capability } from "../tools/model/capability.ts";
import { POLICIES_MAX } from "./limits.ts";

export type StoredPolicy = typeof policiesTable.$inferSelect;

/** The fields of a policy that name other resources. */
export type NamedResources = Pick<StoredPolicy, "tools" | "agents" | "teams" | "approvers">;

/** What a policy names that does not exist. */
export interface UnknownNames {
  readonly unknownTargets: readonly string[];
  readonly unknownAgents: readonly string[];
  readonly unknownTeams: readonly string[];
  /** Keys that do not exist or have ended. */
  readonly unknownApprovers: readonly string[];
}

export type ListedPolicy = StoredPolicy & UnknownNames;

/** Whether `target.value`, an entry of a policy's `tools`, names a tool or a capability that does not exist. */
const isUnknownTarget = sql`target.value <> '*' AND (
  NOT EXISTS (SELECT 1 FROM tools WHERE tools.id = CASE instr(target.value, '/') WHEN 0 THEN target.value
    ELSE substr(target.value, 1, instr(target.value, '/') - 1) END)
  OR (instr(target.value, '/') > 0 AND target.value NOT LIKE '%/*' AND NOT EXISTS (
    SELECT 1 FROM capabilities WHERE capabilities.tool_id = substr(target.value, 1, instr(target.value, '/') - 1)
      AND capabilities.id = substr(target.value, instr(target.value, '/') + 1))))`;

/** Columns with the names that do not exist, as JSON. Each argument is a table with the column `value`. */
function selectUnknownNames(targets: SQL, agents: SQL, teams: SQL, approvers: SQL) {
  return {
    unknownTargets: sql<string>`(SELECT json_group_array(target.value) FROM ${targets} AS target
      WHERE ${isUnknownTarget})`,
    unknownAgents: sql<string>`(SELECT json_group_array(value) FROM ${agents}
      WHERE value NOT IN (SELECT id FROM agents))`,
    unknownTeams: sql<string>`(SELECT json_group_array(value) FROM ${teams}
      WHERE value NOT IN (SELECT id FROM teams))`,
    unknownApprovers: sql<string>`(SELECT json_group_array(value) FROM ${approvers}
      WHERE value <> ${ROOT_KEY_ID} AND value NOT IN (SELECT id FROM keys WHERE revoked_at IS NULL
        AND coalesce(expires_at > unixepoch('subsec') * 1000, true)))`,
  };
}

function parseUnknownNames(row: Readonly<Record<keyof UnknownNames, string>>): UnknownNames {
  return {
    unknownTargets: JSON.parse(row.unknownTargets),
    unknownAgents: JSON.parse(row.unknownAgents),
    unknownTeams: JSON.parse(row.unknownTeams),
    unknownApprovers: JSON.parse(row.unknownApprovers),
  };
}

const unknownNames = selectUnknownNames(
  sql`json_each(policies.tools)`,
  sql`json_each(policies.agents)`,
  sql`json_each(policies.teams)`,
  sql`json_each(policies.approvers)`,
);

function selectPolicies(db: Database) {
  return db.select({ ...getTableColumns(policiesTable), ...unknownNames }).from(policiesTable);
}

type SelectedPolicy = Awaited<ReturnType<typeof selectPolicies>>[number];

function toListedPolicy(row: SelectedPolicy): ListedPolicy {
  return { ...row, ...parseUnknownNames(row) };
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

/** What a policy would decide a call with. */
export interface PolicyTarget {
  readonly capability: Capability;
  /** The tool's highest price of a call, in US dollars. */
  readonly estimatedCost: number;
  /** Whether the policy covers the call. */
  readonly isCovered: boolean;
}

/**
 * For each call, its capability and whether a policy that is not stored would cover it; null if the capability no longer
 * exists. A policy that is not in force counts as if it were.
 */
export async function findPolicyTargets(
  db: Database,
  { tools, agents, teams }: Pick<NamedResources, "tools" | "agents" | "teams">,
  calls: readonly CoveredCall[],
): Promise<readonly (PolicyTarget | null)[]> {
  // In this subquery, `policies` is not the table but the policy.
  const policy = sql`SELECT 1 AS enabled, ${JSON.stringify(tools)} AS tools,
    ${JSON.stringify(agents)} AS agents, ${JSON.stringify(teams)} AS teams`;
  const [first, ...others] = calls.map((call) =>
    db
      .select({
        capability: capabilitiesTable,
        estimatedCost: toolsTable.priceOverage,
        isCovered: sql<number>`EXISTS (WITH policies AS (${policy})
          SELECT 1 FROM policies WHERE ${coversCallSql(call)})`,
      })
      .from(toolsTable)
      .innerJoin(capabilitiesTable, eq(capabilitiesTable.toolId, toolsTable.id))
      .where(and(eq(toolsTable.id, call.toolId), eq(capabilitiesTable.id, call.capability))),
  );
  if (first === undefined) return [];
  const results = await db.batch([first, ...others]);
  return results.map(([row]) => {
    if (row === undefined) return null;
    const { capability, estimatedCost, isCovered } = row;
    return {
      capability: toPublicCapability(capability),
      estimatedCost,
      isCovered: isCovered === 1,
    };
  });
}

export async function findUnknownNames(
  db: Database,
  { tools, agents, teams, approvers }: NamedResources,
): Promise<UnknownNames> {
  const unknown = selectUnknownNames(
    jsonList(tools),
    jsonList(agents),
    jsonList(teams),
    jsonList(approvers),
  );
  const row = await db.get<Record<keyof UnknownNames, string>>(sql`SELECT
    ${unknown.unknownTargets} AS unknownTargets,
    ${unknown.unknownAgents} AS unknownAgents,
    ${unknown.unknownTeams} AS unknownTeams,
    ${unknown.unknownApprovers} AS unknownApprovers`);
  return parseUnknownNames(row);
}

/**
 * The names among `names` that are parameters of a capability that the entries of `tools` cover. Null if the entries
 * cover all tools.
 */
export async function findParameters(
  db: Database,
  tools: readonly string[],
  names: readonly string[],
): Promise<ReadonlySet<string> | null> {
  if (tools.includes("*")) return null;
  const toolIds = tools.map((target) => target.split("/")[0] ?? "");
  const rows = await db.all<{ name: string }>(sql`
    SELECT DISTINCT parameter.value->>'name' AS name
    FROM capabilities, json_each(capabilities.parameters) AS parameter
    WHERE capabilities.tool_id IN ${jsonList(toolIds)}
      AND EXISTS (SELECT 1 FROM ${jsonList(tools)} AS target WHERE target.value IN (capabilities.tool_id,
        capabilities.tool_id || '/*', capabilities.tool_id || '/' || capabilities.id))
      AND parameter.value->>'name' IN ${jsonList(names)}`);
  return new Set(rows.map(({ name }) => name));
}

/**
 * Creates a policy and returns it. Returns null and writes nothing if the id is taken or there are already POLICIES_MAX
 * policies.
 */
export async function insertPolicy(
  db: Database,
  policy: StoredPolicy,
  batch: AuditedBatch,
): Promise<ListedPolicy | null> {
  const [inserted, [row]] = await batch([
    buildInsert(db, policy),
    selectPolicies(db).where(eq(policiesTable.id, policy.id)),
  ]);
  return inserted.length === 0 || row === undefined ? null : toListedPolicy(row);
}

function buildInsert(db: Database, policy: StoredPolicy) {
  const isBelowMax = sql`(SELECT count(*) FROM policies) < ${POLICIES_MAX}`;
  return buildConditionalInsert(db, policiesTable, policy, isBelowMax)
    .onConflictDoNothing()
    .returning({ id: policiesTable.id });
}

/** The changed fields of a policy; those that are undefined stay the same. */
type PolicyChange = {
  readonly [Name in Exclude<keyof StoredPolicy, "id" | "createdBy" | "createdAt">]?:
    | StoredPolicy[Name]
    | undefined;
};

/** Changes a policy and returns it; null if it does not exist. */
export async function updatePolicy(
  db: Database,
  id: string,
  change: PolicyChange,
  batch: AuditedBatch,
): Promise<ListedPolicy | null> {
  const [, [row]] = await batch([
    db.update(policiesTable).set(change).where(eq(policiesTable.id, id)),
    selectPolicies(db).where(eq(policiesTable.id, id)),
  ]);
  return row === undefined ? null : toListedPolicy(row);
}

export async function deletePolicy(db: Database, id: string, batch: AuditedBatch): Promise<void> {
  await batch([db.delete(policiesTable).where(eq(policiesTable.id, id))]);
}
