import { infiniteQueryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { api, dataOf, type Schemas } from "../api/client.ts";
import { identityQuery } from "../session/identity.ts";

export type Key = Schemas["Key"];
export type Session = Schemas["Session"];

const PAGE_SIZE = 50;

export const keysQuery = infiniteQueryOptions({
  queryKey: ["keys"],
  queryFn: async ({ pageParam: offset }) => {
    const query = { limit: PAGE_SIZE, offset };
    return { offset, ...(await dataOf(api.GET("/agents/keys", { params: { query } }))) };
  },
  initialPageParam: 0,
  getNextPageParam: ({ keys, offset }) =>
    keys.length < PAGE_SIZE ? undefined : offset + PAGE_SIZE,
});

export const sessionsQuery = infiniteQueryOptions({
  queryKey: ["sessions"],
  queryFn: async ({ pageParam: offset }) => {
    const query = { limit: PAGE_SIZE, offset };
    return { offset, ...(await dataOf(api.GET("/agents/sessions", { params: { query } }))) };
  },
  initialPageParam: 0,
  getNextPageParam: ({ sessions, offset }) =>
    sessions.length < PAGE_SIZE ? undefined : offset + PAGE_SIZE,
});

export function useCreateKey() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (body: Schemas["CreateKeyBody"]) => dataOf(api.POST("/agents/keys", { body })),
    // The response contains the secret, which is not kept after the dialog closes.
    gcTime: 0,
    onSuccess: () => queryClient.invalidateQueries({ queryKey: keysQuery.queryKey }),
  });
}

export function useChangeKey(id: string) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (body: Schemas["ChangeKeyBody"]) =>
      dataOf(api.PATCH("/agents/keys/{id}", { params: { path: { id } }, body })),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: keysQuery.queryKey }),
  });
}

export function useRevokeKey(id: string) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: ({ cascade }: { readonly cascade: boolean }) => {
      const query = { cascade: cascade ? ("true" as const) : ("false" as const) };
      return dataOf(api.DELETE("/agents/keys/{id}", { params: { path: { id }, query } }));
    },
    onSuccess: () =>
      // The session of this browser also ends if its own key was revoked.
      Promise.all(
        [keysQuery, sessionsQuery, identityQuery].map(({ queryKey }) =>
          queryClient.invalidateQueries({ queryKey }),
        ),
      ),
  });
}

export function useEndSession(id: string) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: () => dataOf(api.DELETE("/agents/sessions/{id}", { params: { path: { id } } })),
    onSuccess: () =>
      Promise.all(
        [sessionsQuery, identityQuery].map(({ queryKey }) =>
          queryClient.invalidateQueries({ queryKey }),
        ),
      ),
  });
}

/** Ends all sessions of this session's key, including this one. */
export function useSignOutEverywhere() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: () => dataOf(api.DELETE("/agents/sessions")),
    onSuccess: () => {
      queryClient.clear();
      queryClient.setQueryData(identityQuery.queryKey, null);
    },
  });
}
