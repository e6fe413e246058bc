import type { JsonObject } from "../../kernel/json.ts";
import { toIsoTime } from "../../kernel/text.ts";
import type { Viewer } from "../../keys/model/key.ts";
import type { Approval } from "../model/approval.ts";
import type { ListedApproval } from "./approvals.store.ts";
import type { ApprovalResponse, ApprovalSummaryResponse } from "./schemas.ts";

export function approvalSummaryView(row: ListedApproval, viewer: Viewer): ApprovalSummaryResponse {
  const { id, status, toolId, capability, agentId, taskId, reason, estimatedCost, policies } = row;
  return {
    id,
    status,
    toolId,
    capability,
    agentId: agentId ?? undefined,
    taskId: taskId ?? undefined,
    policies,
    reason,
    estimatedCost,
    requestedBy: isBound(viewer) ? undefined : (row.requestedBy ?? undefined),
    requestedAt: toIsoTime(row.requestedAt),
    expiresAt: toIsoTime(row.expiresAt),
    decidedAt: toIsoTime(row.decidedAt) ?? undefined,
  };
}

/** `result`: of the call, shortened if it is large; null if there is none. */
export function approvalView(
  approval: Approval,
  result: JsonObject | null,
  viewer: Viewer,
): ApprovalResponse {
  const { id, status, call, policies, decisions, outcome } = approval;
  const hidesKeys = isBound(viewer);
  return {
    id,
    status,
    toolId: call.toolId,
    capability: call.capability,
    agentId: call.agentId ?? undefined,
    taskId: call.taskId ?? undefined,
    reason: policies[0]?.reason ?? "",
    estimatedCost: call.estimatedCost,
    requestedBy: hidesKeys ? undefined : (call.keyId ?? undefined),
    requestedAt: toIsoTime(approval.requestedAt),
    expiresAt: toIsoTime(approval.expiresAt),
    decidedAt: toIsoTime(approval.decidedAt) ?? undefined,
    parameters: call.parameters,
    sha256: call.sha256,
    destination: call.destination ?? undefined,
    policies: policies.map(({ id: policyId, reason, approvals, approvers }) => {
      return { id: policyId, reason, approvals, approvers: hidesKeys ? [] : approvers };
    }),
    decisions: decisions.map(({ kind, keyId, at, viaLink, message }) => {
      return {
        decision: kind,
        by: hidesKeys ? undefined : keyId,
        at: toIsoTime(at),
        viaLink,
        message: message ?? undefined,
      };
    }),
    endedAt: toIsoTime(approval.endedAt) ?? undefined,
    result: result ?? undefined,
    cost: outcome?.ok === true ? outcome.cost : undefined,
    error: outcome?.ok === false ? { code: outcome.code, message: outcome.message } : undefined,
  };
}

function isBound({ agentId, teamId }: Viewer): boolean {
  return agentId !== null || teamId !== null;
}
