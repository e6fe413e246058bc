import {
  infiniteQueryOptions,
  queryOptions,
  useMutation,
  useQueryClient,
} from "@tanstack/react-query";
import { api, dataOf, type Schemas } from "../api/client.ts";
import type { AgentFilters } from "./filters.ts";

export type Agent = Schemas["Agent"];
export type ListedAgent = Schemas["ListedAgent"];
export type AgentDetail = Schemas["AgentDetail"];

const AGENTS_MAX = 100;
const TEAMS_MAX = 100;
const PAGE_SIZE = 50;
/** The tasks that an agent's figures are computed from. */
export const RECENT_TASKS_MAX = 100;

export const agentsQuery = queryOptions({
  queryKey: ["agents"],
  queryFn: () => dataOf(api.GET("/agents", { params: { query: { limit: AGENTS_MAX } } })),
});

/** How many agents a select lists at most. */
const AGENT_CHOICES_MAX = 1_000;

/** All agents, to choose from. */
export const agentChoicesQuery = queryOptions({
  queryKey: ["agents", "choices"],
  queryFn: async () => {
    const agents: ListedAgent[] = [];
    for (let offset = 0; offset < AGENT_CHOICES_MAX; offset += AGENTS_MAX) {
      const query = { limit: AGENTS_MAX, offset };
      const page = await dataOf(api.GET("/agents", { params: { query } }));
      agents.push(...page.agents);
      if (page.agents.length < AGENTS_MAX) break;
    }
    return agents;
  },
});

/** The agents that match the filters, page by page. */
export function agentListQuery({ show: _, ...filters }: AgentFilters) {
  return infiniteQueryOptions({
    queryKey: ["agents", "list", filters],
    queryFn: ({ pageParam: offset }) => {
      const query = { ...filters, limit: PAGE_SIZE, offset };
      return dataOf(api.GET("/agents", { params: { query } }));
    },
    initialPageParam: 0,
    getNextPageParam: ({ agents, offset }) =>
      agents.length < PAGE_SIZE ? undefined : offset + PAGE_SIZE,
  });
}

export function agentQuery(agentId: string) {
  return queryOptions({
    queryKey: ["agents", "one", agentId],
    queryFn: () => dataOf(api.GET("/agents/{agentId}", { params: { path: { agentId } } })),
  });
}

/** The newest tasks that agents are working on. */
export const tasksInProgressQuery = queryOptions({
  queryKey: ["tasks", "in progress"],
  queryFn: () => {
    const query = { status: ["in_progress" as const], limit: RECENT_TASKS_MAX };
    return dataOf(api.GET("/agents/tasks", { params: { query } }));
  },
});

/** An agent's newest tasks. */
export function agentTasksQuery(agentId: string) {
  return queryOptions({
    queryKey: ["tasks", "of agent", agentId],
    queryFn: () => {
      const query = { agentId, limit: RECENT_TASKS_MAX };
      return dataOf(api.GET("/agents/tasks", { params: { query } }));
    },
  });
}

export const teamsQuery = queryOptions({
  queryKey: ["teams"],
  queryFn: () => dataOf(api.GET("/agents/teams", { params: { query: { limit: TEAMS_MAX } } })),
});

export function teamQuery(teamId: string) {
  return queryOptions({
    queryKey: ["teams", teamId],
    queryFn: () => dataOf(api.GET("/agents/teams/{teamId}", { params: { path: { teamId } } })),
  });
}

/** Creates a small task for the agent, to check that the agent is reachable and completes tasks. */
export function useRunTestTask(agentId: string) {
  return useMutation({
    mutationFn: () => {
      const body = {
        task: "Summarise the text in one sentence.",
        title: "Test task",
        agentId,
        context: { text: "The harbour was rebuilt in 1702. Merchants paid for stone cellars." },
      };
      return dataOf(api.POST("/agents/tasks", { body }));
    },
  });
}

function useRefresh(): () => Promise<unknown> {
  const queryClient = useQueryClient();
  return () =>
    Promise.all(
      [["agents"], ["teams"]].map((queryKey) => queryClient.invalidateQueries({ queryKey })),
    );
}

export function useRegisterAgent() {
  return useMutation({
    mutationFn: (body: Schemas["RegisterAgentBody"]) => dataOf(api.POST("/agents", { body })),
    onSuccess: useRefresh(),
  });
}

export function useChangeAgent(agentId: string) {
  return useMutation({
    mutationFn: (body: Schemas["UpdateAgentBody"]) =>
      dataOf(api.PATCH("/agents/{agentId}", { params: { path: { agentId } }, body })),
    onSuccess: useRefresh(),
  });
}

/** Pauses the agent. An empty reason is omitted. */
export function usePauseAgent(agentId: string) {
  return useMutation({
    mutationFn: (reason: string) => {
      const body = reason === "" ? {} : { reason };
      return dataOf(api.POST("/agents/{agentId}/pause", { params: { path: { agentId } }, body }));
    },
    onSuccess: useRefresh(),
  });
}

export function useResumeAgent(agentId: string) {
  return useMutation({
    mutationFn: () =>
      dataOf(api.POST("/agents/{agentId}/resume", { params: { path: { agentId } } })),
    onSuccess: useRefresh(),
  });
}

/** Pauses all agents. An empty reason is omitted. */
export function usePauseAllAgents() {
  return useMutation({
    mutationFn: (reason: string) =>
      dataOf(api.POST("/agents/pause-all", { body: reason === "" ? {} : { reason } })),
    onSuccess: useRefresh(),
  });
}

export function useResumeAllAgents() {
  return useMutation({
    mutationFn: () => dataOf(api.POST("/agents/resume-all")),
    onSuccess: useRefresh(),
  });
}

export function useDeleteAgent(agentId: string) {
  const queryClient = useQueryClient();
  const refresh = useRefresh();
  return useMutation({
    mutationFn: () => dataOf(api.DELETE("/agents/{agentId}", { params: { path: { agentId } } })),
    onSuccess: () => {
      queryClient.removeQueries({ queryKey: agentQuery(agentId).queryKey });
      return refresh();
    },
  });
}

export function usePutTeam() {
  return useMutation({
    mutationFn: ({
      teamId,
      body,
    }: {
      readonly teamId: string;
      readonly body: Schemas["PutTeamBody"];
    }) => dataOf(api.PUT("/agents/teams/{teamId}", { params: { path: { teamId } }, body })),
    onSuccess: useRefresh(),
  });
}

export function useDeleteTeam(teamId: string) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: () =>
      dataOf(api.DELETE("/agents/teams/{teamId}", { params: { path: { teamId } } })),
    onSuccess: () => {
      queryClient.removeQueries({ queryKey: teamQuery(teamId).queryKey });
      return Promise.all(
        [["agents"], ["teams"]].map((queryKey) => queryClient.invalidateQueries({ queryKey })),
      );
    },
  });
}
