import type { Task } from "../../../src/tasks/model/task.ts";

/**
 * Returns a task with the fields of every status. Fields that its own status does not have are
 * null, and `workStartSeq` is 0, as in the tasks recorded by earlier releases. A comparison with
 * this task therefore also proves that a field is absent.
 */
export function withAllFields(task: Task) {
  return {
    workStartSeq: 0,
    workingSince: null,
    blocked: null,
    outcome: null,
    error: null,
    cancelReason: null,
    feedback: null,
    endedAt: null,
    ...task,
  };
}
