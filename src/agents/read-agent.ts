import { createFieldFailure, type Failure } from "../kernel/failure.ts";
import { preview } from "../kernel/problem.ts";
import { fail, ok, type Result } from "../kernel/result.ts";
import { KEY_ENDED_FAILURE } from "../keys/key-watch.ts";
import { getDatabase } from "../platform/d1/client.ts";
import type { DirectoryEnv } from "../platform/d1/shards.ts";
import { openAgentSecret, type AgentSealEnv } from "./agent-secret.ts";
import { listAgents } from "./agents.store.ts";
import { findAgentConfig, findAgentConfigForClaim } from "./assignment.store.ts";
import { isDeletedAgentId } from "./deleted-ids.store.ts";
import type { Agent, AgentConfig, AgentSecret, ExecutorConfig } from "./model/agent.ts";

/** An agent as its executor needs it. */
export interface ExecutorAgent {
  readonly executor: ExecutorConfig;
  readonly secret: AgentSecret | null;
  readonly enabled: boolean;
}

/** The executor of an agent with its opened secret. The failure is a sentence. */
export async function loadExecutor(
  env: AgentSealEnv & Pick<Env, "DB">,
  agentId: string | null,
): Promise<Result<ExecutorAgent, string>> {
  const config = agentId === null ? null : await findAgentConfig(getDatabase(env.DB), agentId);
  if (agentId === null || config === null) return fail("The agent is no longer registered.");
  const secret = await openAgentSecret(env, agentId, config.sealed);
  const { executor, enabled } = config;
  return secret.ok ? ok({ executor, enabled, secret: secret.value }) : secret;
}

/** The agent that a key claims tasks for. `keyId`: null for the root key. */
export async function checkClaimAgent(
  env: Pick<Env, "DB">,
  agentId: string,
  keyId: string | null,
): Promise<Result<AgentConfig, Failure>> {
  const db = getDatabase(env.DB);
  const { config, isKeyValid } = await findAgentConfigForClaim(db, agentId, keyId);
  if (!isKeyValid) return fail(KEY_ENDED_FAILURE);
  if (config === null) return fail({ kind: "not_found", what: "agent", id: agentId });
  const { executor } = config.terms;
  if (executor !== "worker") {
    const problem = `must be an agent with the executor worker, and ${preview(agentId)} has ${executor}`;
    return fail(createFieldFailure("agentId", problem));
  }
  if (!config.enabled) return fail({ kind: "agent_disabled", agentId });
  return ok(config);
}

/** Enabled agents by id. `ids`: only these agents; null for any. */
export async function listEnabledAgents(
  env: Pick<Env, "DB">,
  ids: readonly string[] | null,
  limit: number,
): Promise<readonly Agent[]> {
  const filter = { enabled: true, teamId: undefined, executor: undefined, search: undefined, ids };
  return (await listAgents(getDatabase(env.DB), filter, { limit, offset: 0 })).agents;
}

/** Fails if an id belonged to a deleted agent. */
export async function checkNewAgentId(
  env: DirectoryEnv,
  agentId: string,
): Promise<Result<null, Failure>> {
  if (!(await isDeletedAgentId(env, agentId))) return ok(null);
  return fail({ kind: "agent_exists", agentId, deleted: true });
}
