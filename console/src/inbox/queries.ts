import { queryOptions } from "@tanstack/react-query";
import { api, dataOf } from "../api/client.ts";

/** The maximum number of tools that the inbox shows for each problem. It shows others as these are solved. */
const TOOLS_MAX = 100;
/** Changes of credentials cause no events, so the lists are fetched again at this interval. */
const REFRESH_MS = 60_000;

/** A tool that cannot authenticate to the system behind it. */
export interface CredentialProblem {
  readonly toolId: string;
  readonly toolName: string;
  readonly problem: string;
}

const PROBLEMS = {
  missing: "The tool has no credentials.",
  unconnected: "The tool is not connected: its OAuth grant is missing, expired or revoked.",
} as const;

/** The tools whose credentials are missing or no longer work. */
export const unusableCredentialsQuery = queryOptions({
  queryKey: ["credentials", "unusable"],
  queryFn: async (): Promise<readonly CredentialProblem[]> => {
    const lists = await Promise.all([listTools("missing"), listTools("unconnected")]);
    return lists.flat();
  },
  refetchInterval: REFRESH_MS,
});

async function listTools(
  credentials: keyof typeof PROBLEMS,
): Promise<readonly CredentialProblem[]> {
  const query = { credentials, limit: TOOLS_MAX };
  const { tools } = await dataOf(api.GET("/agents/tools", { params: { query } }));
  const problem = PROBLEMS[credentials];
  return tools.map(({ id, name }) => ({ toolId: id, toolName: name, problem }));
}
