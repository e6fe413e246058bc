import { queryOptions } from "@tanstack/react-query";
import { api, dataOf, type Schemas } from "../api/client.ts";
import type { UsageSearch } from "./search.ts";

export type UsageRow = Schemas["UsageRow"];

const TOOLS_PER_PAGE = 200;
const PAGES_MAX = 10;
/** A report by tool covers at most this many tools. The API rejects a larger report that is not grouped by tool. */
export const TOOLS_MAX = PAGES_MAX * TOOLS_PER_PAGE;

export interface Usage {
  readonly from: string;
  readonly to: string;
  readonly rows: readonly UsageRow[];
  /** Tools that did not respond. */
  readonly missing: readonly string[];
  /** Whether there are more tools than were read. */
  readonly hasMore: boolean;
}

/** The parameters of the report without the format and the page. */
function usageParameters({ measure: _, groupBy, ...rest }: UsageSearch) {
  return { ...rest, groupBy: groupBy ?? "day" };
}

export function usageQuery(search: UsageSearch) {
  const parameters = usageParameters(search);
  return queryOptions({
    queryKey: ["usage", parameters],
    queryFn: ({ signal }) => readUsage(parameters, signal),
  });
}

async function readUsage(
  parameters: ReturnType<typeof usageParameters>,
  signal: AbortSignal,
): Promise<Usage> {
  const rows: UsageRow[] = [];
  const missing: string[] = [];
  let cursor: string | null = null;
  for (let page = 1; ; page += 1) {
    const query = { ...parameters, ...(cursor !== null && { cursor }) };
    const report: Schemas["UsageOverview"] = await dataOf(
      api.GET("/agents/usage", { params: { query }, signal }),
    );
    rows.push(...report.usage);
    missing.push(...report.missing);
    cursor = report.nextCursor;
    if (cursor === null || page === PAGES_MAX)
      return { from: report.from, to: report.to, rows, missing, hasMore: cursor !== null };
  }
}

export const CURRENT_TASKS_MAX = 100;

/** The newest tasks that have not ended, with their budgets. */
export const currentTasksQuery = queryOptions({
  queryKey: ["tasks", "current"],
  queryFn: () => {
    const status = ["pending", "assigned", "in_progress", "blocked", "review"] as const;
    const query = { status: [...status], limit: CURRENT_TASKS_MAX };
    return dataOf(api.GET("/agents/tasks", { params: { query } }));
  },
});

/** The address of the report as a CSV file. */
export function csvAddress(search: UsageSearch): string {
  return `/agents/usage?${new URLSearchParams({ ...usageParameters(search), format: "csv" })}`;
}
