import { queueOf, type ClaimedTask } from "../../agents/queue/port.ts";
import { standingOf, type Standing } from "../../agents/registry.ts";
import { database } from "../../db/client.ts";
import { invalid, type Failure } from "../../domain/failure.ts";
import { boundTo, mayActAs, type Key } from "../../domain/key.ts";
import { shown } from "../../domain/problem.ts";
import { fail, ok, type Result } from "../../domain/result.ts";
import type { ClaimBody } from "./wire.ts";

/** Tasks for a worker of an agent, each under a lease, the most urgent first: one query of D1. */
export async function claimTasks(
  env: Pick<Env, "DB" | "QUEUES">,
  key: Key,
  body: ClaimBody,
): Promise<Result<readonly ClaimedTask[], Failure>> {
  const agent = agentOf(key, body);
  if (!agent.ok) return agent;
  const agentId = agent.value;
  const standing = await standingOf(database(env.DB), agentId);
  if (standing === null) return fail({ kind: "not_found", what: "agent", id: agentId });
  const problem = standingProblem(agentId, standing);
  if (problem !== null) return fail(invalid("agentId", problem));
  const claim = {
    worker: body.worker ?? null,
    tasksMax: body.max,
    leaseSeconds: body.leaseSeconds,
    waitMs: body.waitSeconds * 1_000,
  };
  return ok(await queueOf(env.QUEUES, agentId).claim(claim));
}

/** A queue holds tasks of whatever team, and a team's key may see its own alone: it claims nothing. */
function agentOf(key: Key, { agentId }: ClaimBody): Result<string, Failure> {
  const named = agentId ?? key.agentId;
  if (named !== null && !mayActAs(key, named)) {
    return fail({ kind: "agent_mismatch", path: "agentId", bound: boundTo(key) });
  }
  if (key.teamId !== null) return fail({ kind: "claim_by_team", teamId: key.teamId });
  if (named !== null) return ok(named);
  const rule = "is required: the agent whose tasks are to be claimed, as this key is bound to none";
  return fail(invalid("agentId", rule));
}

function standingProblem(agentId: string, { terms, enabled }: Standing): string | null {
  const name = shown(agentId);
  if (terms.executor !== "worker") {
    const way = `PATCH /agents/${agentId} with {"executor": {"type": "worker"}} makes it one`;
    return `must be an agent with the executor worker, and ${name} has ${terms.executor}; ${way}`;
  }
  if (enabled) return null;
  const way = `PATCH /agents/${agentId} with {"enabled": true} has it take work again`;
  return `must be an enabled agent, and ${name} is disabled; ${way}`;
}
