import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { api, ApiError, dataOf, type Schemas } from "../api/client.ts";
import type { paths } from "../../generated/api.d.ts";
import type { ToolFilters } from "./filters.ts";

type ToolListQuery = NonNullable<paths["/agents/tools"]["get"]["parameters"]["query"]>;
export type Tool = Schemas["Tool"];
export type ListedTool = Schemas["ListedTool"];
export type Capability = Schemas["Capability"];
export type Credentials = Schemas["Credentials"];

const TOOLS_PAGE_SIZE = 100;
const CAPABILITIES_PAGE_SIZE = 50;
/** The API pages through at most this many items. */
const OFFSET_MAX = 10_000;

export function toolsQuery(filters: ToolListQuery) {
  return queryOptions({
    queryKey: ["tools", filters],
    queryFn: () => dataOf(api.GET("/agents/tools", { params: { query: filters } })),
  });
}

/** The tools that match the filters, page by page. */
export function toolPagesQuery(filters: ToolFilters) {
  return infiniteQueryOptions({
    queryKey: ["tools", "pages", filters],
    queryFn: ({ pageParam }) => {
      const query = { ...filters, limit: TOOLS_PAGE_SIZE, offset: pageParam };
      return dataOf(api.GET("/agents/tools", { params: { query } }));
    },
    initialPageParam: 0,
    getNextPageParam: ({ tools }, _, offset) => {
      const next = offset + TOOLS_PAGE_SIZE;
      return tools.length < TOOLS_PAGE_SIZE || next > OFFSET_MAX ? null : next;
    },
  });
}

/** A tool, and the ETag to send when it is changed; null for a built-in tool. */
export function toolQuery(toolId: string) {
  return queryOptions({
    queryKey: ["tool", toolId],
    queryFn: async () => {
      let etag: string | null = null;
      const request = api
        .GET("/agents/tools/{id}", { params: { path: { id: toolId } } })
        .then((answer) => {
          etag = answer.response.headers.get("ETag");
          return answer;
        });
      const tool = await dataOf(request);
      return { tool, etag };
    },
  });
}

export function capabilityPagesQuery(toolId: string, search: string) {
  return infiniteQueryOptions({
    queryKey: ["tool", toolId, "capabilities", search],
    queryFn: ({ pageParam }) => {
      const query = {
        limit: CAPABILITIES_PAGE_SIZE,
        offset: pageParam,
        ...(search !== "" && { search }),
      };
      const params = { path: { id: toolId }, query };
      return dataOf(api.GET("/agents/tools/{id}/capabilities", { params }));
    },
    initialPageParam: 0,
    getNextPageParam: ({ nextOffset }) => nextOffset,
  });
}

export function capabilityQuery(toolId: string, capability: string) {
  return queryOptions({
    queryKey: ["tool", toolId, "capability", capability],
    queryFn: () => {
      const params = { path: { id: toolId, capability } };
      return dataOf(api.GET("/agents/tools/{id}/capabilities/{capability}", { params }));
    },
  });
}

export function toolUsageQuery(toolId: string, days: number) {
  return queryOptions({
    queryKey: ["tool", toolId, "usage", days],
    queryFn: () => {
      const params = { path: { id: toolId }, query: { days } };
      return dataOf(api.GET("/agents/tools/{id}/usage", { params }));
    },
  });
}

/** The credentials of a tool without their secrets; null if there are none. */
export function credentialsQuery(toolId: string) {
  return queryOptions({
    queryKey: ["tool", toolId, "credentials"],
    queryFn: async (): Promise<Credentials | null> => {
      try {
        const params = { path: { id: toolId } };
        return await dataOf(api.GET("/agents/tools/{id}/credentials", { params }));
      } catch (error) {
        if (error instanceof ApiError && error.code === "CREDENTIALS_NOT_FOUND") return null;
        throw error;
      }
    },
  });
}
