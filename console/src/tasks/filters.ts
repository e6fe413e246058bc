import type { Schemas } from "../api/client.ts";

export type TaskStatus = Schemas["TaskStatus"];
type Priority = Schemas["Priority"];

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

/** The filters of the task list. The parameters of the URL have the same names. */
export interface TaskFilters {
  /** One or more statuses, separated by commas. */
  readonly status?: string;
  readonly agentId?: string;
  readonly teamId?: string;
  readonly priority?: Priority;
  /** One or more labels as `key:value`, separated by commas. */
  readonly label?: string;
  readonly externalId?: string;
  readonly view?: "board";
}

/** Reads the filters of a URL. Parameters that are unknown or invalid are ignored. */
export function readTaskFilters(search: Record<string, unknown>): TaskFilters {
  const status = statusesOf({ status: textOf(search["status"]) ?? "" }).join(",");
  const priority = PRIORITIES.find((one) => one === search["priority"]);
  const agentId = textOf(search["agentId"]);
  const teamId = textOf(search["teamId"]);
  const label = textOf(search["label"]);
  const externalId = textOf(search["externalId"]);
  return {
    ...(status !== "" && { status }),
    ...(agentId !== undefined && { agentId }),
    ...(teamId !== undefined && { teamId }),
    ...(priority !== undefined && { priority }),
    ...(label !== undefined && { label }),
    ...(externalId !== undefined && { externalId }),
    ...(search["view"] === "board" && { view: "board" as const }),
  };
}

/** The statuses of a filter, in the order of `STATUSES`, without repetitions. */
export function statusesOf({ status = "" }: Pick<TaskFilters, "status">): readonly TaskStatus[] {
  const wanted = status.split(",");
  return STATUSES.filter((one) => wanted.includes(one));
}

export function labelsOf({ label = "" }: Pick<TaskFilters, "label">): readonly string[] {
  return label
    .split(",")
    .map((one) => one.trim())
    .filter((one) => one !== "");
}

/** The router reads numbers and booleans from the URL as such. */
function textOf(value: unknown): string | undefined {
  const text =
    typeof value === "string" || typeof value === "number" || typeof value === "boolean"
      ? String(value).trim()
      : "";
  return text === "" ? undefined : text;
}
