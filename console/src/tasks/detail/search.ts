export const TABS = ["activity", "calls", "deliverables", "feedback", "raw"] as const;
export type Tab = (typeof TABS)[number];

/** What the URL of a task states. */
export interface TaskSearch {
  /** Absent for the activity. */
  readonly tab?: Exclude<Tab, "activity">;
  /** The `seq` of the selected event. */
  readonly event?: number;
  /** The position of the selected tool call in the selected event. */
  readonly call?: number;
  /** The name of the previewed file. */
  readonly file?: string;
}

/** Reads the search parameters of a task's URL. Parameters that are unknown or invalid are ignored. */
export function readTaskSearch(search: Record<string, unknown>): TaskSearch {
  const tab = TABS.find((one) => one === search["tab"]);
  const { event, call, file } = search;
  const hasEvent = isCount(event) && event > 0;
  return {
    ...(tab && tab !== "activity" && { tab }),
    ...(hasEvent && { event }),
    ...(hasEvent && isCount(call) && { call }),
    ...(typeof file === "string" && file !== "" && { file }),
  };
}

function isCount(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
}
