import type { Schemas } from "../api/client.ts";
import { searchText } from "../layout/search-text.ts";

export type ExecutorType = Schemas["Agent"]["executor"]["type"];

export const EXECUTOR_TYPES = [
  "builtin",
  "worker",
  "model",
  "a2a",
] as const satisfies readonly ExecutorType[];

export const EXECUTOR_LABELS: Readonly<Record<ExecutorType, string>> = {
  builtin: "Built-in",
  worker: "Worker",
  model: "Model",
  a2a: "A2A",
};

/** The filters of the agents, as the URL states them. All but `show` are parameters of the API. */
export interface AgentFilters {
  readonly search?: string;
  readonly executor?: ExecutorType;
  readonly enabled?: "true" | "false";
  readonly teamId?: string;
  readonly show?: "teams";
}

/** Reads the filters of a URL. Parameters that are unknown or invalid are ignored. */
export function readAgentFilters(given: Record<string, unknown>): AgentFilters {
  const search = searchText(given["search"]);
  const executor = EXECUTOR_TYPES.find((type) => type === given["executor"]);
  const enabled = (["true", "false"] as const).find((one) => one === searchText(given["enabled"]));
  const teamId = searchText(given["teamId"]);
  return {
    ...(search !== undefined && { search }),
    ...(executor && { executor }),
    ...(enabled && { enabled }),
    ...(teamId !== undefined && { teamId }),
    ...(given["show"] === "teams" && { show: "teams" as const }),
  };
}
