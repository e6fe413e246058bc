import type { ClaimedTask } from "../../agents/queue/queue.rpc.ts";
import type { Viewer } from "../../keys/model/key.ts";
import type { Lease } from "../model/lease.ts";
import type { Deliverable, Task } from "../model/task.ts";
import { deliverableView, taskView } from "../api/view.ts";

/** A claimed task, with everything that a worker needs to start or continue it. */
export function claimedTaskView(
  origin: string,
  viewer: Viewer,
  { taskId, task, lease }: ClaimedTask,
): object {
  return {
    ...taskView(origin, taskId, task, { viewer, now: Date.now() }, "whole"),
    deliverables: task.deliverableTypes,
    answers: task.answers,
    reviewComments: task.reviewComments,
    work: task.work,
    files: task.files.map((file) => uploadedFileView(origin, taskId, file)),
    lease: { token: lease.token, ...leaseView(lease) },
  };
}

/** The response to a report. `lease` only while the worker holds the task. */
export function reportResponseView(
  taskId: string,
  { task, isHeld }: { readonly task: Task; readonly isHeld: boolean },
): object {
  return {
    taskId,
    status: task.status,
    stop: !isHeld,
    ...(isHeld && task.lease !== null ? { lease: leaseView(task.lease) } : {}),
  };
}

/** An uploaded file. It can be downloaded once the task is in review or completed. */
export function uploadedFileView(origin: string, taskId: string, file: Deliverable): object {
  return { ...deliverableView(origin, taskId, file), format: file.format };
}

function leaseView({ expiresAt, seconds }: Lease): object {
  return { expiresAt: new Date(expiresAt).toISOString(), seconds };
}
