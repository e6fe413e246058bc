import { queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { api, dataOf } from "../api/client.ts";
import type { Policy, PolicyBody } from "./policy-form.ts";
import { addPage, type Simulation, type SimulationBody } from "./simulation.ts";

const PAGE_SIZE = 100;
/** How many pages of tasks one run of a test examines at most, and after how many calls it stops. */
const SIMULATED_PAGES_MAX = 10;
const SIMULATED_CALLS_MAX = 100;

/** All policies, by id. */
export const policiesQuery = queryOptions({
  queryKey: ["policies"],
  queryFn: async (): Promise<readonly Policy[]> => {
    const found: Policy[] = [];
    for (;;) {
      const query = { limit: PAGE_SIZE, offset: found.length };
      const page = await dataOf(api.GET("/agents/policies", { params: { query } }));
      found.push(...page.policies);
      if (page.policies.length === 0 || found.length >= page.total) return found;
    }
  },
});

function useRefresh(): () => Promise<unknown> {
  const queryClient = useQueryClient();
  return () => queryClient.invalidateQueries({ queryKey: policiesQuery.queryKey });
}

/** Creates a policy, whose id must not be in use, or replaces one. */
export function useSavePolicy() {
  return useMutation({
    mutationFn: ({
      id,
      isNew,
      body,
    }: {
      readonly id: string;
      readonly isNew: boolean;
      readonly body: PolicyBody;
    }) =>
      dataOf(
        isNew
          ? api.POST("/agents/policies", { body: { id, ...body } })
          : api.PUT("/agents/policies/{id}", { params: { path: { id } }, body }),
      ),
    onSuccess: useRefresh(),
  });
}

export function useDeletePolicy() {
  return useMutation({
    mutationFn: (id: string) =>
      dataOf(api.DELETE("/agents/policies/{id}", { params: { path: { id } } })),
    onSuccess: useRefresh(),
  });
}

/** Tries out a policy. `before`: the result so far, to which the next pages are added; null for a new run. */
export function useSimulation() {
  return useMutation({
    mutationFn: async ({
      body,
      before,
    }: {
      readonly body: SimulationBody;
      readonly hours: number;
      readonly before: Simulation | null;
    }): Promise<Simulation> => {
      let result = before;
      for (let pages = 1; ; pages += 1) {
        const cursor = result?.nextCursor ?? null;
        const part = { ...body, ...(cursor === null ? {} : { cursor }) };
        const page = await dataOf(api.POST("/agents/policies/simulate", { body: part }));
        result = addPage(result, page);
        const isEnough = pages === SIMULATED_PAGES_MAX || page.calls.length >= SIMULATED_CALLS_MAX;
        if (page.nextCursor === null || isEnough) return result;
      }
    },
  });
}
