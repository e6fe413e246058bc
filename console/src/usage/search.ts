import { searchText } from "../layout/search-text.ts";

export const GROUPINGS = ["day", "agent", "tool", "team", "key", "label"] as const;
export type Grouping = (typeof GROUPINGS)[number];
export type Measure = "cost" | "calls";

/** What the usage is grouped by, of which days, and what the bars show, as the URL states it. */
export interface UsageSearch {
  /** `day` if it is absent. */
  readonly groupBy?: Exclude<Grouping, "day">;
  /** `calls` if it is absent. */
  readonly measure?: "cost";
  readonly from?: string;
  readonly to?: string;
  readonly agentId?: string;
  readonly toolId?: string;
}

/** Reads the search parameters of a URL. Those that are unknown or invalid are ignored. */
export function readUsageSearch(search: Record<string, unknown>): UsageSearch {
  const [, ...others] = GROUPINGS;
  const groupBy = others.find((one) => one === search["groupBy"]);
  const from = dayText(search["from"]);
  const to = dayText(search["to"]);
  const agentId = searchText(search["agentId"]);
  const toolId = searchText(search["toolId"]);
  return {
    ...(groupBy && { groupBy }),
    ...(search["measure"] === "cost" && { measure: "cost" as const }),
    ...(from !== undefined && { from }),
    ...(to !== undefined && { to }),
    ...(agentId !== undefined && { agentId }),
    ...(toolId !== undefined && { toolId }),
  };
}

/** A day such as 2030-01-31, if it exists. */
function dayText(value: unknown): string | undefined {
  if (typeof value !== "string" || !/^\d{4}-\d{2}-\d{2}$/.test(value)) return undefined;
  const at = Date.parse(`${value}T00:00:00Z`);
  return !Number.isNaN(at) && dayOf(at) === value ? value : undefined;
}

/** The day of a time in milliseconds since the epoch, in UTC. */
export function dayOf(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}
