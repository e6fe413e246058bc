import type { Failure } from "../kernel/failure.ts";
import { preview } from "../kernel/result.ts";
import { toIsoTime } from "../kernel/text.ts";
import { wireError, type WireError } from "./wire-error.ts";

export type ApprovalFailure = Failure<
  | "approval_pending"
  | "approval_settled"
  | "approval_outdated"
  | "too_many_approvals"
  | "approval_of_own_call"
  | "not_an_approver"
  | "approval_decided"
  | "task_awaits_approval"
>;

export function toApprovalError(failure: ApprovalFailure): WireError {
  switch (failure.kind) {
    case "approval_pending": {
      const { approvalId, policyId, reason, expiresAt } = failure;
      const message = `The call waits for approval: ${reason} Its outcome is at GET /agents/approvals/${approvalId}. If nobody approves it by ${toIsoTime(expiresAt)}, it is denied.`;
      return wireError(409, "APPROVAL_PENDING", message, { context: { approvalId, policyId } });
    }
    case "approval_settled": {
      const { approvalId, isDenied, message } = failure;
      const code = isDenied ? "APPROVAL_DENIED" : "APPROVED_CALL_FAILED";
      return wireError(isDenied ? 403 : 409, code, message, { context: { approvalId } });
    }
    case "approval_outdated":
      return wireError(
        409,
        "APPROVED_CALL_FAILED",
        `The approved call was not made: ${failure.reason} Make the call again to request a new approval.`,
      );
    case "too_many_approvals": {
      const { max, agentId } = failure;
      const who = agentId === null ? "this key" : `agent ${preview(agentId)}`;
      const message = `${max} calls of ${who} already wait for approval. Wait until some of them are decided.`;
      return wireError(429, "APPROVAL_LIMIT_REACHED", message);
    }
    case "approval_of_own_call": {
      const message =
        "This key made the call, acts for the agent that made it, or was created by the key that made it. Decide with another key.";
      return wireError(403, "APPROVER_NOT_ALLOWED", message);
    }
    case "not_an_approver": {
      const policies = failure.policyIds.map((id) => preview(id)).join(", ");
      const message = `This key is not among the approvers of ${policies}. Decide with a key that is.`;
      return wireError(403, "APPROVER_NOT_ALLOWED", message);
    }
    case "approval_decided": {
      const { approvalId, status } = failure;
      const message =
        status === "pending"
          ? "This link was already used for a decision."
          : `The approval ${approvalId} is already ${status}, so it cannot be decided again.`;
      return wireError(409, "APPROVAL_DECIDED", message, { context: { status } });
    }
    case "task_awaits_approval": {
      const { approvalId } = failure;
      const message = `The task waits for the approval ${approvalId}, not for an answer. Decide with POST /agents/approvals/${approvalId}/approve or /deny.`;
      return wireError(409, "APPROVAL_PENDING", message, { context: { approvalId } });
    }
  }
}
