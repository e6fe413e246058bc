import type { ClaimedTask } from "../../agents/queue/queue.rpc.ts";
import type { Viewer } from "../../keys/model/key.ts";
import type { Lease } from "../model/lease.ts";
import type { Deliverable, Task } from "../model/task.ts";
import type { UploadedFileResponse } from "../api/deliverable-schemas.ts";
import { deliverableView, taskView } from "../api/view.ts";
import type { ClaimedTaskResponse, ReportResponse } from "./schemas.ts";

/** A claimed task, with everything that a worker needs to start or continue it. */
export function claimedTaskView(
  origin: string,
  viewer: Viewer,
  { taskId, task, lease }: ClaimedTask,
): ClaimedTaskResponse {
  const reader = { viewer, now: Date.now() };
  // A claimed task waits for nothing and has no delivered files. Its `deliverables` lists the requested kinds of file.
  const { deliverables, waitingFor, ...shown } = taskView(origin, taskId, task, reader, "whole");
  return {
    ...shown,
    status: "in_progress",
    context: task.context,
    deliverables: task.deliverableTypes,
    answers: task.answers,
    reviewComments: task.reviewComments,
    work: task.work,
    files: task.files.map((file) => uploadedFileView(origin, taskId, file)),
    lease: { token: lease.token, ...leaseView(lease) },
  };
}

/** The response to a report. `lease` is present only while the worker holds the task. */
export function reportResponseView(
  taskId: string,
  { task, isHeld }: { readonly task: Task; readonly isHeld: boolean },
): ReportResponse {
  return {
    taskId,
    status: task.status,
    stop: !isHeld,
    lease: isHeld && task.lease !== null ? leaseView(task.lease) : undefined,
  };
}

/** An uploaded file. It can be downloaded once the task is in review or completed. */
export function uploadedFileView(
  origin: string,
  taskId: string,
  file: Deliverable,
): UploadedFileResponse {
  return { ...deliverableView(origin, taskId, file), format: file.format };
}

function leaseView({ expiresAt, seconds }: Lease) {
  return { expiresAt: new Date(expiresAt).toISOString(), seconds };
}
