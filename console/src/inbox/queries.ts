import { queryOptions } from "@tanstack/react-query";
import { api, ApiError, dataOf } from "../api/client.ts";

const TOOLS_MAX = 100;
/** Credentials send no events, so they are fetched again from time to time. */
const REFRESH_MS = 60_000;

/** A tool that cannot authenticate to the system behind it. */
export interface CredentialProblem {
  readonly toolId: string;
  readonly toolName: string;
  readonly problem: string;
}

/** The tools whose credentials are missing or no longer work. */
export const unusableCredentialsQuery = queryOptions({
  queryKey: ["credentials", "unusable"],
  queryFn: async (): Promise<readonly CredentialProblem[]> => {
    const query = { limit: TOOLS_MAX };
    const { tools } = await dataOf(api.GET("/agents/tools", { params: { query } }));
    const authenticated = tools.filter(({ authentication }) => authentication !== "none");
    const problems = await Promise.all(
      authenticated.map(async ({ id, name }) => {
        const problem = await findProblem(id);
        return problem === null ? [] : [{ toolId: id, toolName: name, problem }];
      }),
    );
    return problems.flat();
  },
  refetchInterval: REFRESH_MS,
});

async function findProblem(toolId: string): Promise<string | null> {
  try {
    const credentials = await dataOf(
      api.GET("/agents/tools/{id}/credentials", { params: { path: { id: toolId } } }),
    );
    const isUnconnected = credentials.type === "oauth-authorization-code" && !credentials.connected;
    return isUnconnected ? "Consent is missing or was revoked." : null;
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return "The tool has no credentials.";
    throw error;
  }
}
