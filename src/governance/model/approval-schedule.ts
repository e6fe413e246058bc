import type { Approval } from "./approval.ts";
import { isSettled } from "./approval-status.ts";

interface AlarmTerms {
  /** Whether the list, the feed and the task know the current state. */
  readonly isPublished: boolean;
  /** How long a settled call is kept; null: permanently. */
  readonly retentionMs: number | null;
  /** The limits of the pause before an update is repeated. */
  readonly retry: { readonly minMs: number; readonly maxMs: number };
  readonly now: number;
}

/** When a call was settled; null if it is not settled. */
export function settledAtOf({
  status,
  decidedAt,
  endedAt,
}: Pick<Approval, "status" | "decidedAt" | "endedAt">): number | null {
  return isSettled(status) ? (endedAt ?? decidedAt) : null;
}

/** When the object's alarm is due, in milliseconds since 1970; null if nothing is due. */
export function nextApprovalAlarmAt(
  approval: Approval,
  { isPublished, retentionMs, retry, now }: AlarmTerms,
): number | null {
  const changedAt = approval.endedAt ?? approval.decidedAt ?? approval.requestedAt;
  const retryAt = now + Math.min(Math.max(now - changedAt, retry.minMs), retry.maxMs);
  switch (approval.status) {
    case "pending":
      return isPublished ? approval.expiresAt : Math.min(approval.expiresAt, retryAt);
    case "approved":
      // The first try is due immediately.
      return now - changedAt < retry.minMs ? changedAt : retryAt;
    case "executing":
      return retryAt;
    default: {
      const settledAt = settledAtOf(approval);
      if (!isPublished) return retryAt;
      return retentionMs === null || settledAt === null ? null : settledAt + retentionMs;
    }
  }
}
