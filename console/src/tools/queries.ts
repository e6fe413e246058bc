import { queryOptions } from "@tanstack/react-query";
import { api, dataOf } from "../api/client.ts";
import type { paths } from "../../generated/api.d.ts";

type ToolFilters = NonNullable<paths["/agents/tools"]["get"]["parameters"]["query"]>;

export function toolsQuery(filters: ToolFilters) {
  return queryOptions({
    queryKey: ["tools", filters],
    queryFn: () => dataOf(api.GET("/agents/tools", { params: { query: filters } })),
  });
}
