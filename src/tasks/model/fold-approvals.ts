import { pendingApprovalIds } from "./approvals.ts";
import { continueWork, leaveStatus } from "./attempts.ts";
import type { TaskEventOf } from "./events.ts";
import { blockOf, type Task, type TaskApproval } from "./task.ts";

/** Adds a call that waits for approval. */
export function addApproval(task: Task, { data }: TaskEventOf<"call_stored">): Task {
  const pending = { status: "pending", message: null, result: null } as const;
  const added: TaskApproval = { ...data, attempt: task.attempt, ...pending };
  return { ...task, approvals: [...task.approvals, added] };
}

/** Settles a call. The work continues if the task waited for it and for no other. */
export function settleCall(task: Task, { data, seq, at }: TaskEventOf<"call_settled">): Task {
  const approvals = task.approvals.map((one) =>
    one.approvalId === data.approvalId ? { ...one, result: null, ...data } : one,
  );
  const settled = { ...task, approvals };
  const awaited = blockOf(task)?.approvalIds ?? [];
  const pending = new Set(pendingApprovalIds(settled));
  const isLast = awaited.includes(data.approvalId) && !awaited.some((id) => pending.has(id));
  return isLast ? continueWork(leaveStatus(settled, at), seq, at) : settled;
}
