import type { Failure } from "../kernel/failure.ts";
import { fail, ok, type Result } from "../kernel/result.ts";
import { getDatabase } from "../platform/d1/client.ts";
import { findAgentAndTeam } from "./agents.store.ts";

/** Fails with `not_found` if an agent or a team that a request names does not exist; null: none is named. */
export async function checkAgentAndTeam(
  env: Pick<Env, "DB">,
  { agentId, teamId }: { readonly agentId: string | null; readonly teamId: string | null },
): Promise<Result<null, Failure>> {
  if (agentId === null && teamId === null) return ok(null);
  const known = await findAgentAndTeam(getDatabase(env.DB), { agentId, teamId });
  if (agentId !== null && !known.agent) {
    return fail({ kind: "not_found", what: "agent", id: agentId });
  }
  if (teamId !== null && !known.team) return fail({ kind: "not_found", what: "team", id: teamId });
  return ok(null);
}
