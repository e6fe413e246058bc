import { createFieldFailure, type Failure } from "../../kernel/failure.ts";
import { fail, ok, type Result } from "../../kernel/result.ts";
import { toRequestedChoice, type CandidateSearch } from "../model/assignment.ts";
import type { AgentChoice } from "../model/task.ts";

/** The choice of the agent that a client requested, or why it cannot take the task. `search`: the result of a search for only this agent. */
export function chooseRequestedAgent(
  search: CandidateSearch,
  agentId: string,
  teamId: string | null,
): Result<AgentChoice, Failure> {
  if (!search.agentKnown) return fail({ kind: "not_found", what: "agent", id: agentId });
  const [candidate] = search.candidates;
  if (candidate !== undefined) return ok(toRequestedChoice(candidate));
  const why = search.agentEnabled
    ? `must be a member of team "${teamId}", got "${agentId}"`
    : `must be an enabled agent, got "${agentId}", which is disabled`;
  return fail(createFieldFailure("agentId", why));
}
