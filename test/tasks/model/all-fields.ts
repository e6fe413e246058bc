import type { Task } from "../../../src/tasks/model/task.ts";

/**
 * A task with the fields of every status. Those that its own status does not have are null, and `workStartSeq` is
 * 0, as in the tasks that earlier releases recorded: a comparison then also proves that a field is absent.
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
