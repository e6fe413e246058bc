import type { Schemas } from "../api/client.ts";
import type { Tone } from "../ui/badge.tsx";

export type ApprovalStatus = Schemas["Approval"]["status"];

export const APPROVAL_LABELS: Readonly<Record<ApprovalStatus, string>> = {
  pending: "Waits for approval",
  approved: "Approved",
  executing: "Being made",
  executed: "Made",
  failed: "Failed",
  unknown: "Outcome unknown",
  denied: "Denied",
  expired: "Expired",
  withdrawn: "Withdrawn",
};

export const APPROVAL_TONES: Readonly<Record<ApprovalStatus, Tone>> = {
  pending: "warning",
  approved: "accent",
  executing: "accent",
  executed: "success",
  failed: "danger",
  unknown: "danger",
  denied: "neutral",
  expired: "neutral",
  withdrawn: "neutral",
};

/** What has become of a call that required approval, in one sentence. */
export const APPROVAL_OUTCOMES: Readonly<Record<ApprovalStatus, string>> = {
  pending: "The call waits until people have decided about it.",
  approved: "The call was approved and is made next.",
  executing: "The call was approved and is being made.",
  executed: "The call was approved and made.",
  failed: "The call was approved, but it failed.",
  unknown:
    "The call was started, but its outcome was lost. It is not repeated. Check the system that it was sent to.",
  denied: "The call was denied.",
  expired: "Nobody decided in time, so the call is not made.",
  withdrawn: "The task of the call ended or started again before anybody decided.",
};

/** How many more keys must approve before the call is made, for the policy that lacks the most. */
export function missingApprovals({
  policies,
  decisions,
}: Pick<Schemas["Approval"], "policies" | "decisions">): number {
  const approving = new Set(
    decisions.filter(({ decision }) => decision === "approve").map(({ by }) => by ?? ""),
  );
  const missing = policies.map(({ approvals, approvers }) => {
    const counted = [...approving].filter((by) => approvers.length === 0 || approvers.includes(by));
    return approvals - counted.length;
  });
  return Math.max(0, ...missing);
}
