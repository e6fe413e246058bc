/**
 * The states of a call that requires approval. `approved`: it is made next. `unknown`: it was started, but its outcome
 * was lost. `expired`: nobody decided in time, which counts as a denial. `withdrawn`: its task ended first.
 */
export const APPROVAL_STATUSES = [
  "pending",
  "approved",
  "executing",
  "executed",
  "failed",
  "unknown",
  "denied",
  "expired",
  "withdrawn",
] as const;
export type ApprovalStatus = (typeof APPROVAL_STATUSES)[number];

/** The states in which nothing more happens. */
export const SETTLED_STATUSES = [
  "executed",
  "failed",
  "unknown",
  "denied",
  "expired",
  "withdrawn",
] as const satisfies readonly ApprovalStatus[];
export type SettledStatus = (typeof SETTLED_STATUSES)[number];

export function isSettled(status: ApprovalStatus): status is SettledStatus {
  return SETTLED_STATUSES.some((one) => one === status);
}

/** What happened to a call, as events of the feed. */
export const APPROVAL_EVENT_TYPES = [
  "approval.requested",
  "approval.decided",
  "approval.executed",
] as const;
export type ApprovalEventType = (typeof APPROVAL_EVENT_TYPES)[number];
