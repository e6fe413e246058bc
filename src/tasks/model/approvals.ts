import { isTerminal, type Task, type TaskApproval } from "./task.ts";

type WithApprovals = Pick<Task, "approvals" | "attempt">;

/**
 * The approval that an equal call gets: a call that was made is never made again by the same task, and any other call is
 * requested again only by a later attempt.
 */
export function findApproval(
  { approvals, attempt }: WithApprovals,
  sha256: string,
): TaskApproval | null {
  const found = approvals.findLast(
    (one) => one.sha256 === sha256 && (one.status === "executed" || one.attempt === attempt),
  );
  return found ?? null;
}

/** How many approvals of equal calls the task already has. It makes the id of the next one unique. */
export function countApprovals({ approvals }: WithApprovals, sha256: string): number {
  return approvals.filter((one) => one.sha256 === sha256).length;
}

/** The ids of the attempt's approvals that are pending. */
export function pendingApprovalIds({ approvals, attempt }: WithApprovals): string[] {
  return approvals
    .filter((one) => one.status === "pending" && one.attempt === attempt)
    .map(({ approvalId }) => approvalId);
}

/** The ids of the approvals to withdraw after a change of the task; null if there are none. */
export function withdrawnIdsOf(task: Task, before: Task): readonly string[] | null {
  if (task.approvals.length === 0) return null;
  const known = new Set(abandonedIds(before));
  const added = abandonedIds(task).filter((id) => !known.has(id));
  return added.length === 0 ? null : added;
}

/** The ids of pending approvals that nobody waits for, because their attempt or the task has ended. */
function abandonedIds({ approvals, attempt, status }: Task): string[] {
  return approvals
    .filter((one) => one.status === "pending" && (isTerminal(status) || one.attempt < attempt))
    .map(({ approvalId }) => approvalId);
}
