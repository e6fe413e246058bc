import { queryOptions } from "@tanstack/react-query";
import { api, dataOf } from "../api/client.ts";

/** The inbox shows at most this many tools for each problem, and the rest once these are solved. */
const TOOLS_MAX = 100;
/** Credentials send no events, so they are fetched again from time to time. */
const REFRESH_MS = 60_000;

/** A tool that cannot authenticate to the system behind it. */
export interface CredentialProblem {
  readonly toolId: string;
  readonly toolName: string;
  readonly problem: string;
}

const PROBLEMS = {
  missing: "The tool has no credentials.",
  unconnected: "Consent is missing, has expired or was revoked.",
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
