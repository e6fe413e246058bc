import { queryOptions } from "@tanstack/react-query";
import { api, dataOf } from "../api/client.ts";

/** Whether there is no task that the key may see. */
export const hasNoTasksQuery = queryOptions({
  queryKey: ["tasks", "none"],
  queryFn: async () => {
    const { tasks } = await dataOf(api.GET("/agents/tasks", { params: { query: { limit: 1 } } }));
    return tasks.length === 0;
  },
});
