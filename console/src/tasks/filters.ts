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

export const PRIORITY_LABELS: Readonly<Record<Priority, string>> = {
  low: "Low",
  medium: "Medium",
  high: "High",
  urgent: "Urgent",
};

/** The orders of the task list by title. */
export const TITLE_SORTS = ["title", "-title"] as const;
export type TitleSort = (typeof TITLE_SORTS)[number];

/** The maximum length of a search. */
export const SEARCH_CHARACTERS_MAX = 200;

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
  /** Part of the title or, if there is none, of the task's text. */
  readonly search?: string;
  /** Absent: newest first. */
  readonly sort?: TitleSort;
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
  const text = textOf(search["search"])?.slice(0, SEARCH_CHARACTERS_MAX).trim();
  const sort = TITLE_SORTS.find((one) => one === search["sort"]);
  return {
    ...(status !== "" && { status }),
    ...(agentId !== undefined && { agentId }),
    ...(teamId !== undefined && { teamId }),
    ...(priority !== undefined && { priority }),
    ...(label !== undefined && { label }),
    ...(externalId !== undefined && { externalId }),
    ...(text !== undefined && { search: text }),
    ...(sort !== undefined && { sort }),
    ...(search["view"] === "board" && { view: "board" as const }),
  };
}

/** The order after a click on the header of the titles: A to Z, then Z to A, then newest first. */
export function nextTitleSort(sort: TitleSort | undefined): TitleSort | undefined {
  if (sort === undefined) return "title";
  return sort === "title" ? "-title" : undefined;
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
