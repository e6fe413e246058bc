import type { TaskAction } from "../../src/tasks/model/transitions.ts";
import type { TaskStatus } from "../../src/tasks/model/task.ts";

/** The actions that a client may take in each status, written by hand. */
export const ALLOWED: Readonly<Record<TaskStatus, readonly TaskAction[]>> = {
  pending: ["cancel", "update"],
  assigned: ["cancel", "update"],
  in_progress: ["cancel", "update"],
  blocked: ["cancel", "update", "respond"],
  review: ["cancel", "update", "review", "deliverables"],
  completed: ["feedback", "deliverables"],
  failed: ["retry", "update"],
  cancelled: [],
};
