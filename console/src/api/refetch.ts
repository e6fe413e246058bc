import type { Query, QueryClient, QueryFilters } from "@tanstack/react-query";

/** The queries that will be fetched again when their running fetch ends. */
const waiting = new WeakSet<Query>();

/**
 * Invalidates queries after their data has changed at its source. A running fetch may have read the old data, so its
 * query is fetched once more when it ends. The fetch itself is neither cancelled, because its response would never be
 * shown if changes keep arriving, nor taken as the response to the change.
 */
export function refetchChanged(queryClient: QueryClient, filters: QueryFilters): void {
  for (const query of queryClient.getQueryCache().findAll(filters)) {
    if (query.state.fetchStatus === "idle") invalidate(queryClient, query);
    else invalidateWhenIdle(queryClient, query);
  }
}

function invalidate(queryClient: QueryClient, { queryKey }: Query): void {
  void queryClient.invalidateQueries({ queryKey, exact: true });
}

function invalidateWhenIdle(queryClient: QueryClient, query: Query): void {
  if (waiting.has(query)) return;
  waiting.add(query);
  const stop = queryClient.getQueryCache().subscribe((event) => {
    if (event.query !== query) return;
    const isRemoved = event.type === "removed";
    if (!isRemoved && query.state.fetchStatus !== "idle") return;
    stop();
    waiting.delete(query);
    if (!isRemoved) invalidate(queryClient, query);
  });
}
