import type { FeedEvent } from "../../events/model/feed.ts";
import type { JsonObject } from "../../kernel/json.ts";
import { toIsoTime } from "../../kernel/text.ts";
import { currentRequestId } from "../../platform/request-id.ts";
import { listApprovalEvents, type Approval } from "../model/approval.ts";
import type { ApprovalEventType } from "../model/approval-status.ts";

/** The events of the feed so far, with the data that an unbound key sees. */
export function approvalFeedEvents(approval: Approval): FeedEvent[] {
  const { id, call } = approval;
  const { taskId, agentId, teamId, toolId, capability } = call;
  const requestId = currentRequestId();
  return listApprovalEvents(approval).map(({ seq, type, at }) => ({
    taskId,
    approvalId: id,
    seq,
    type,
    at: toIsoTime(at),
    agentId,
    teamId,
    title: `${toolId}/${capability}`,
    data: { toolId, capability, ...dataOf(type, approval) },
    ...(requestId === null ? {} : { requestId }),
  }));
}

function dataOf(
  type: ApprovalEventType,
  { call, policies, expiresAt, status, decisions, outcome }: Approval,
): JsonObject {
  switch (type) {
    case "approval.requested":
      return {
        policies: policies.map(({ id }) => id),
        reason: policies[0]?.reason ?? "",
        estimatedCost: call.estimatedCost,
        expiresAt: toIsoTime(expiresAt),
      };
    case "approval.decided": {
      const isDenied = status === "denied" || status === "expired" || status === "withdrawn";
      const decidedBy = decisions.map(({ keyId }) => keyId);
      const message = decisions.findLast((one) => one.message !== null)?.message;
      return {
        status: isDenied ? status : "approved",
        decidedBy,
        ...(message === undefined || message === null ? {} : { message }),
      };
    }
    case "approval.executed":
      if (outcome === null) return { status };
      return outcome.ok
        ? { status, cost: outcome.cost, durationMs: outcome.durationMs }
        : { status, error: { code: outcome.code, message: outcome.message } };
  }
}
