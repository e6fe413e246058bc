import { queryOptions, useMutation, useQueryClient, useSuspenseQuery } from "@tanstack/react-query";
import { api, ApiError, dataOf, type Schemas } from "../api/client.ts";

export type Identity = Schemas["Identity"];
export type Scope = Identity["key"]["scopes"][number];

/** The key and session of this browser; null if nobody is signed in. */
export const identityQuery = queryOptions({
  queryKey: ["identity"],
  queryFn: async (): Promise<Identity | null> => {
    try {
      return await dataOf(api.GET("/agents/sessions/current"));
    } catch (error) {
      if (error instanceof ApiError && error.status === 401) return null;
      throw error;
    }
  },
});

/** Whether the key of this session has a scope. Views hide what the key may not do; the API decides. */
export function useHasScope(scope: Scope): boolean {
  const { data } = useSuspenseQuery(identityQuery);
  return data?.key.scopes.includes(scope) ?? false;
}

export function useSignIn() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (apiKey: string) => dataOf(api.POST("/agents/sessions", { body: { apiKey } })),
    onSuccess: (identity: Identity) => {
      // What another key could see may not be visible to this one.
      queryClient.clear();
      queryClient.setQueryData(identityQuery.queryKey, identity);
    },
  });
}

export function useSignOut() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: () =>
      dataOf(api.DELETE("/agents/sessions/{id}", { params: { path: { id: "current" } } })),
    onSuccess: () => {
      queryClient.clear();
      queryClient.setQueryData(identityQuery.queryKey, null);
    },
  });
}
