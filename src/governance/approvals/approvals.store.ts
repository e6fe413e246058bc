import { and, desc, eq, inArray, or, sql, type SQL } from "drizzle-orm";
import type { AuditedBatch } from "../../platform/d1/audited-batch.ts";
import { jsonList, type Database } from "../../platform/d1/client.ts";
import { approvalsTable } from "../../platform/d1/governance-schema.ts";
import type { Approval } from "../model/approval.ts";
import type { ApprovalStatus } from "../model/approval-status.ts";
import type { EarlierApproval } from "../model/remembered-approval.ts";

/** A call that required approval, as lists show it. */
export type ListedApproval = typeof approvalsTable.$inferSelect;

export async function saveApprovalRow(db: Database, approval: Approval): Promise<void> {
  const { id, version, status, call, policies, requestedAt, expiresAt, decidedAt } = approval;
  const row = {
    id,
    version,
    status,
    toolId: call.toolId,
    capability: call.capability,
    agentId: call.agentId,
    taskId: call.taskId,
    teamId: call.teamId,
    requestedBy: call.keyId,
    policies: policies.map((policy) => policy.id),
    reason: policies[0]?.reason ?? "",
    estimatedCost: call.estimatedCost,
    requestedAt,
    expiresAt,
    decidedAt,
  };
  await db
    .insert(approvalsTable)
    .values(row)
    .onConflictDoUpdate({
      target: approvalsTable.id,
      set: { version, status, decidedAt },
      setWhere: sql`${approvalsTable.version} < ${version}`,
    });
}

/** Records the next decision in the audit log, if the log does not contain it yet. `index` counts from 0. */
export async function saveAuditedDecision(
  db: Database,
  id: string,
  index: number,
  batch: AuditedBatch,
): Promise<void> {
  const isNext = and(eq(approvalsTable.id, id), eq(approvalsTable.auditedDecisions, index));
  await batch([
    db
      .update(approvalsTable)
      .set({ auditedDecisions: index + 1 })
      .where(isNext),
  ]);
}

export async function deleteApprovalRow(db: Database, id: string): Promise<void> {
  await db.delete(approvalsTable).where(eq(approvalsTable.id, id));
}

/** Null fields match any value. `caller`: limits the list to the calls of a key and of agents. */
export interface ApprovalFilter {
  readonly statuses: readonly ApprovalStatus[] | null;
  readonly agentId: string | null;
  readonly taskId: string | null;
  readonly toolId: string | null;
  readonly caller: { readonly keyId: string; readonly agentIds: readonly string[] } | null;
}

/** One page of approvals, newest first, and their total number. */
export async function listApprovals(
  db: Database,
  filter: ApprovalFilter,
  page: { readonly limit: number; readonly offset: number },
): Promise<{ approvals: ListedApproval[]; total: number }> {
  const where = toCondition(filter);
  const [approvals, counts] = await db.batch([
    db
      .select()
      .from(approvalsTable)
      .where(where)
      .orderBy(desc(approvalsTable.requestedAt), approvalsTable.id)
      .limit(page.limit)
      .offset(page.offset),
    db
      .select({ count: sql<number>`count(*)` })
      .from(approvalsTable)
      .where(where),
  ]);
  return { approvals, total: counts[0]?.count ?? 0 };
}

function toCondition({
  statuses,
  agentId,
  taskId,
  toolId,
  caller,
}: ApprovalFilter): SQL | undefined {
  return and(
    statuses === null ? undefined : inArray(approvalsTable.status, [...statuses]),
    agentId === null ? undefined : eq(approvalsTable.agentId, agentId),
    taskId === null ? undefined : eq(approvalsTable.taskId, taskId),
    toolId === null ? undefined : eq(approvalsTable.toolId, toolId),
    caller === null
      ? undefined
      : or(
          eq(approvalsTable.requestedBy, caller.keyId),
          sql`${approvalsTable.agentId} IN ${jsonList(caller.agentIds)}`,
        ),
  );
}

/**
 * The number of calls that wait for approval, and the approvals since `since` that may cover the call. `agentId` is null
 * for a call without an agent, which no approval covers.
 */
export async function findEarlierApprovals(
  db: Database,
  call: {
    readonly toolId: string;
    readonly capability: string;
    readonly agentId: string | null;
    readonly keyId: string | null;
  },
  since: number,
): Promise<{ pending: number; approved: EarlierApproval[] }> {
  const { toolId, capability, agentId, keyId } = call;
  const isOfCaller =
    agentId === null
      ? and(sql`${approvalsTable.agentId} IS NULL`, eq(approvalsTable.requestedBy, keyId ?? ""))
      : eq(approvalsTable.agentId, agentId);
  const [counts, rows] = await db.batch([
    db
      .select({ count: sql<number>`count(*)` })
      .from(approvalsTable)
      .where(and(eq(approvalsTable.status, "pending"), isOfCaller)),
    db
      .select({
        taskId: approvalsTable.taskId,
        policies: approvalsTable.policies,
        decidedAt: sql<number>`${approvalsTable.decidedAt}`,
      })
      .from(approvalsTable)
      .where(
        and(
          eq(approvalsTable.agentId, agentId ?? ""),
          eq(approvalsTable.toolId, toolId),
          eq(approvalsTable.capability, capability),
          inArray(approvalsTable.status, [
            "approved",
            "executing",
            "executed",
            "failed",
            "unknown",
          ]),
          sql`${approvalsTable.decidedAt} >= ${since}`,
        ),
      )
      .orderBy(desc(approvalsTable.decidedAt))
      .limit(EARLIER_APPROVALS_MAX),
  ]);
  return { pending: counts[0]?.count ?? 0, approved: rows };
}

const EARLIER_APPROVALS_MAX = 100;
