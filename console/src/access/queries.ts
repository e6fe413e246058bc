import {
  infiniteQueryOptions,
  queryOptions,
  useMutation,
  useQueryClient,
} from "@tanstack/react-query";
import { api, dataOf, type Schemas } from "../api/client.ts";

export type Agent = Schemas["Agent"];
export type AccessEntry = Schemas["AccessEntry"];
export type Grant = Schemas["AccessGrant"];
type GrantBody = Schemas["GrantAccessBody"];

export const AGENTS_PAGE_SIZE = 50;
/** The API pages through at most this many agents. */
const OFFSET_MAX = 10_000;
const GRANTS_PAGE_SIZE = 100;

/** The agents whose id, name or description contains the text, page by page. */
export function agentPagesQuery(search: string) {
  return infiniteQueryOptions({
    queryKey: ["agents", "pages", search],
    queryFn: ({ pageParam }) => {
      const query = {
        limit: AGENTS_PAGE_SIZE,
        offset: pageParam,
        ...(search !== "" && { search }),
      };
      return dataOf(api.GET("/agents", { params: { query } }));
    },
    initialPageParam: 0,
    getNextPageParam: ({ agents }, _, offset) => {
      const next = offset + AGENTS_PAGE_SIZE;
      return agents.length < AGENTS_PAGE_SIZE || next > OFFSET_MAX ? null : next;
    },
  });
}

/** The capabilities that an agent may use, by tool; null for all capabilities of a tool. */
export type GrantedTools = ReadonlyMap<string, readonly string[] | null>;

/** The grants of these agents, by agent. The matrix fetches the grants of a page of agents with one query. */
export function grantsQuery(agentIds: readonly string[]) {
  return queryOptions({
    queryKey: ["access", "grants", agentIds],
    queryFn: async ({ signal }): Promise<ReadonlyMap<string, GrantedTools>> => {
      const grants = new Map(
        agentIds.map((id) => [id, new Map<string, readonly string[] | null>()]),
      );
      let cursor: string | null = null;
      do {
        const query = {
          agentId: [...agentIds],
          limit: GRANTS_PAGE_SIZE,
          ...(cursor !== null && { cursor }),
        };
        const page: Schemas["Grants"] = await dataOf(
          api.GET("/agents/access", { params: { query }, signal }),
        );
        for (const { agentId, toolId, capabilities } of page.grants)
          grants.get(agentId)?.set(toolId, capabilities ?? null);
        cursor = page.nextCursor;
      } while (cursor !== null);
      return grants;
    },
  });
}

/** An agent's grant of a tool, as stored; null if there is none. */
export function grantQuery(agentId: string, toolId: string) {
  return queryOptions({
    queryKey: ["access", "grant", agentId, toolId],
    queryFn: async (): Promise<Grant | null> => {
      const query = { agentId: [agentId], toolId, limit: 1 };
      const { grants } = await dataOf(api.GET("/agents/access", { params: { query } }));
      return grants[0] ?? null;
    },
  });
}

/** What one agent may use, by tool. */
export function agentAccessQuery(agentId: string) {
  return queryOptions({
    queryKey: ["access", agentId],
    queryFn: async (): Promise<ReadonlyMap<string, AccessEntry>> => {
      const params = { path: { agentId } };
      const { tools } = await dataOf(api.GET("/agents/tools/access/{agentId}", { params }));
      return new Map(tools.map((entry) => [entry.id, entry]));
    },
  });
}

/** Grants capabilities of a tool, which replaces any earlier grant of the tool, or revokes the grant. */
export function useChangeAccess(agentId: string, toolId: string) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: async (change: Omit<GrantBody, "agentId" | "toolId"> | "revoke") => {
      if (change === "revoke") {
        const params = { path: { agentId, toolId } };
        await dataOf(api.DELETE("/agents/tools/access/{agentId}/{toolId}", { params }));
      } else {
        await dataOf(api.POST("/agents/tools/access", { body: { agentId, toolId, ...change } }));
      }
    },
    onSettled: () => {
      void queryClient.invalidateQueries({ queryKey: ["tool", toolId] });
      void queryClient.invalidateQueries({ queryKey: ["tools"] });
      void queryClient.invalidateQueries({ queryKey: ["access", "why"] });
      void queryClient.invalidateQueries({ queryKey: ["access", "grants"] });
      void queryClient.invalidateQueries({ queryKey: ["access", "grant", agentId, toolId] });
      return queryClient.invalidateQueries({ queryKey: ["access", agentId] });
    },
  });
}
