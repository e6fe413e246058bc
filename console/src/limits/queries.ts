import { infiniteQueryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { api, dataOf, type Schemas } from "../api/client.ts";

export type Limit = Schemas["Limit"];

const PAGE_SIZE = 50;
/** Calls cause no events, so the use is fetched again at this interval. */
const USE_REFRESH_MS = 10_000;

export const limitsQuery = infiniteQueryOptions({
  queryKey: ["limits"],
  queryFn: async ({ pageParam: offset }) => {
    const query = { limit: PAGE_SIZE, offset };
    return dataOf(api.GET("/agents/limits", { params: { query } }));
  },
  initialPageParam: 0,
  getNextPageParam: ({ limits, offset }) =>
    limits.length < PAGE_SIZE ? undefined : offset + PAGE_SIZE,
  refetchInterval: USE_REFRESH_MS,
});

export function useCreateLimit() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (body: Schemas["CreateLimitBody"]) => dataOf(api.POST("/agents/limits", { body })),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: limitsQuery.queryKey }),
  });
}

export function usePutLimit(id: string) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (body: Schemas["PutLimitBody"]) =>
      dataOf(api.PUT("/agents/limits/{id}", { params: { path: { id } }, body })),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: limitsQuery.queryKey }),
  });
}

export function useDeleteLimit(id: string) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: () => dataOf(api.DELETE("/agents/limits/{id}", { params: { path: { id } } })),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: limitsQuery.queryKey }),
  });
}
