import type { ApprovalResponse } from "../../../src/governance/approvals/schemas.ts";
import { isSettled } from "../../../src/governance/model/approval-status.ts";
import type { Violation } from "../check/violation.ts";

type Decision = "approve" | "deny";

/** A decision that the service acknowledged, and the status that it returned. */
export interface Acknowledged {
  readonly decision: Decision;
  readonly status: ApprovalResponse["status"];
}

/** What the clients know about one call when everything has settled. */
export interface RacedCall {
  readonly number: number;
  /** The body that the target must receive, if it receives any. */
  readonly body: string;
  /** The number of different keys that must approve. */
  readonly approvals: number;
  readonly acknowledged: readonly Acknowledged[];
  readonly approval: ApprovalResponse;
  /** The bodies that the target received. */
  readonly received: readonly string[];
}

/** The statuses of a call that was approved. */
const MADE: ReadonlySet<string> = new Set(["executed", "failed", "unknown"]);

/** Checks that the call was sent at most once, only with enough approvals, and without a change. */
export function judgeCall(call: RacedCall): Violation[] {
  const { number, body, acknowledged, approval, received } = call;
  const { status } = approval;
  const problems: [isViolated: boolean, rule: string, message: string][] = [
    [received.length > 1, "at-most-once", `was sent ${received.length} times`],
    [received.some((one) => one !== body), "unaltered", `was sent as ${received.join(" and ")}`],
    [received.length > 0 && !isApproved(call), "approved-first", "was sent without its approvals"],
    [received.length > 0 && !MADE.has(status), "sent-status", `was sent, but is ${status}`],
    [status === "executed" && received.length === 0, "executed", "is executed, but was not sent"],
    [status === "executed" && approval.result === undefined, "result", "has no result"],
    [!isSettled(status), "settled", `is ${status}`],
    [
      acknowledged.some((one) => one.decision === "approve" && one.status === "approved") &&
        !MADE.has(status),
      "approval-kept",
      `was approved, but is ${status}`,
    ],
    [
      acknowledged.some(({ decision }) => decision === "deny") && status !== "denied",
      "denial-kept",
      `was denied, but is ${status}`,
    ],
  ];
  return problems
    .filter(([isViolated]) => isViolated)
    .map(([, rule, message]) => ({
      rule,
      about: approval.id,
      message: `Call ${number} ${message}`,
    }));
}

/** Whether the stored decisions approve the call: enough different keys, no denial, and all before it expired. */
function isApproved({ approvals, approval }: RacedCall): boolean {
  const { decisions, expiresAt } = approval;
  const isInTime = decisions.every(({ at }) => at <= expiresAt);
  const approvers = decisions.map(({ decision, by }) => (decision === "approve" ? by : "denial"));
  return isInTime && !approvers.includes("denial") && new Set(approvers).size >= approvals;
}
