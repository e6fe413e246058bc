import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { api, dataOf, type Schemas } from "../api/client.ts";
import { labelsOf, SEARCH_CHARACTERS_MAX, statusesOf, type TaskFilters } from "./filters.ts";

export type Task = Schemas["Task"];
export type ListedTask = Schemas["ListedTask"];

const PAGE_SIZE = 50;
/** The maximum number of tasks that the search palette shows. */
const FOUND_MAX = 6;

/** The tasks that match the filters, newest first, page by page. */
export function tasksQuery({ view: _view, status, label, ...filters }: TaskFilters) {
  return infiniteQueryOptions({
    queryKey: ["tasks", { ...filters, status, label }],
    queryFn: ({ pageParam }) => {
      const query = {
        ...filters,
        ...(status !== undefined && { status: [...statusesOf({ status })] }),
        ...(label !== undefined && { label: [...labelsOf({ label })] }),
        ...(pageParam !== null && { cursor: pageParam }),
        limit: PAGE_SIZE,
      };
      return dataOf(api.GET("/agents/tasks", { params: { query } }));
    },
    initialPageParam: null as string | null,
    getNextPageParam: ({ nextCursor }) => nextCursor,
  });
}

/** The newest tasks whose title contains the text. */
export function foundTasksQuery(text: string) {
  const query = { search: text.slice(0, SEARCH_CHARACTERS_MAX), limit: FOUND_MAX };
  return queryOptions({
    queryKey: ["tasks", "found", query.search],
    queryFn: () => dataOf(api.GET("/agents/tasks", { params: { query } })),
    enabled: text !== "",
  });
}

export function taskQuery(taskId: string) {
  return queryOptions({
    queryKey: ["task", taskId],
    queryFn: () => dataOf(api.GET("/agents/tasks/{id}", { params: { path: { id: taskId } } })),
  });
}
