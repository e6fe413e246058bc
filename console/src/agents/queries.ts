import { queryOptions } from "@tanstack/react-query";
import { api, dataOf } from "../api/client.ts";

const AGENTS_MAX = 100;
const TEAMS_MAX = 100;

export const agentsQuery = queryOptions({
  queryKey: ["agents"],
  queryFn: () => dataOf(api.GET("/agents", { params: { query: { limit: AGENTS_MAX } } })),
});

export const teamsQuery = queryOptions({
  queryKey: ["teams"],
  queryFn: () => dataOf(api.GET("/agents/teams", { params: { query: { limit: TEAMS_MAX } } })),
});
