import type { TaskStatus } from "./filters.ts";

export const STATUS_LABELS: Readonly<Record<TaskStatus, string>> = {
  pending: "Pending",
  assigned: "Assigned",
  in_progress: "In progress",
  blocked: "Blocked",
  review: "In review",
  completed: "Completed",
  failed: "Failed",
  cancelled: "Cancelled",
};
