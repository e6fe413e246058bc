import type { paths } from "../../generated/api.d.ts";

type ListQuery = NonNullable<paths["/agents/tasks"]["get"]["parameters"]["query"]>;
export type TaskStatus = NonNullable<ListQuery["status"]>;
type Priority = NonNullable<ListQuery["priority"]>;

export const STATUSES = [
  "pending",
  "assigned",
  "in_progress",
  "blocked",
  "review",
  "completed",
  "failed",
  "cancelled",
] as const satisfies readonly TaskStatus[];
export const PRIORITIES = [
  "low",
  "medium",
  "high",
  "urgent",
] as const satisfies readonly Priority[];

/** The filters of the task list, as the URL states them. */
export interface TaskFilters {
  readonly status?: TaskStatus;
  readonly agentId?: string;
  readonly teamId?: string;
  readonly priority?: Priority;
  readonly view?: "board";
}

/** Reads the filters of a URL. Parameters that are unknown or invalid are ignored. */
export function readTaskFilters(search: Record<string, unknown>): TaskFilters {
  const status = STATUSES.find((one) => one === search["status"]);
  const priority = PRIORITIES.find((one) => one === search["priority"]);
  const { agentId, teamId, view } = search;
  return {
    ...(status && { status }),
    ...(typeof agentId === "string" && agentId !== "" && { agentId }),
    ...(typeof teamId === "string" && teamId !== "" && { teamId }),
    ...(priority && { priority }),
    ...(view === "board" && { view }),
  };
}
