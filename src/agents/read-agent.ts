import { createFieldFailure, type Failure } from "../kernel/failure.ts";
import { preview, fail, ok, type Result } from "../kernel/result.ts";
import type { LimitTerms } from "../governance/model/spending/limit.ts";
import { KEY_ENDED_FAILURE } from "../keys/authenticate.ts";
import { type SealEnv, unsealWithKnownKey } from "../platform/crypto/seal.ts";
import {
  getDatabase,
  queryOrNull,
  listDirectoryDatabases,
  type DirectoryEnv,
} from "../platform/d1/client.ts";
import { log } from "../platform/log.ts";
import { withTimeout } from "../platform/promises.ts";
import { findAgentAndTeam, listAgents, isDeletedId } from "./agents.store.ts";
import {
  findAgentConfigForClaim,
  findAgentConfigForTurn,
  findNewestTaskTime,
} from "./assignment.store.ts";
import { PAUSE_READ_TIMEOUT_MS, QUEUE_READ_TIMEOUT_MS } from "./limits.ts";
import type { Pause } from "./model/pause.ts";
import { findPause } from "./pause.store.ts";
import {
  agentTermsOf,
  hasQueue,
  type Agent,
  type AgentConfig,
  type AgentSecret,
} from "./model/agent.ts";
import { queueStub, type QueueCounts } from "./queue/queue.rpc.ts";

interface LoadedExecutor extends Pick<AgentConfig, "executor" | "enabled" | "isPaused"> {
  readonly secret: AgentSecret | null;
  /** The spending limits in force that cover the agent's model. */
  readonly limits: readonly LimitTerms[];
}

/** An agent's executor with its decrypted secret. The failure is a complete sentence. */
export async function loadExecutor(
  env: SealEnv & Pick<Env, "DB">,
  agentId: string | null,
): Promise<Result<LoadedExecutor, string>> {
  const found =
    agentId === null ? null : await findAgentConfigForTurn(getDatabase(env.DB), agentId);
  if (agentId === null || found === null) return fail("The agent is no longer registered.");
  const { executor, enabled, isPaused, sealed } = found.config;
  const secret = await openAgentSecret(env, agentId, sealed);
  if (!secret.ok) return secret;
  return ok({ executor, enabled, isPaused, secret: secret.value, limits: found.limits });
}

/** Checks that a key can claim tasks for an agent. `keyId` is null for the root key. */
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
    const problem = `must be an agent with executor type worker; ${preview(agentId)} has type ${executor}`;
    return fail(createFieldFailure("agentId", problem));
  }
  if (!config.enabled) return fail({ kind: "agent_disabled", agentId });
  if (config.isPaused) return fail({ kind: "agent_paused", agentId });
  return ok(config);
}

/** Enabled agents, ordered by id. `ids` limits the result to these agents; null means all. */
export async function listEnabledAgents(
  env: Pick<Env, "DB">,
  ids: readonly string[] | null,
  limit: number,
): Promise<readonly Agent[]> {
  const page = { limit, offset: 0 };
  return (await listAgents(getDatabase(env.DB), { enabled: true, ids }, page)).agents;
}

/** Fails if an id belonged to a deleted agent. */
export async function checkNewAgentId(
  env: DirectoryEnv,
  agentId: string,
): Promise<Result<null, Failure>> {
  if (!(await isDeletedId(env, "agent", agentId))) return ok(null);
  return fail({ kind: "agent_exists", agentId, deleted: true });
}

/** Fails with `not_found` if the agent or team named in a request does not exist. A null id is not checked. */
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

/** The creation time of the agent's newest task; null if it has none or the directory does not respond in time. */
export async function findLastUse(env: DirectoryEnv, agentId: string): Promise<number | null> {
  const reads = listDirectoryDatabases(env).map((shard) =>
    findNewestTaskTime(getDatabase(shard), agentId),
  );
  const read = Promise.all(reads);
  const instants = await queryOrNull(QUEUE_READ_TIMEOUT_MS, read, "agent_usage_read_failed", {
    agentId,
  });
  return Math.max(0, ...(instants ?? []).map((at) => at ?? 0)) || null;
}

/** Why an agent is paused; null if it is not, or if D1 does not respond in time. */
export function readPause(env: Pick<Env, "DB">, agentId: string): Promise<Pause | null> {
  const read = findPause(getDatabase(env.DB), agentId);
  return queryOrNull(PAUSE_READ_TIMEOUT_MS, read, "pause_read_failed", { agentId });
}

/** The task counts of an agent's queue; null if it has none or the queue does not respond in time. */
export async function readQueueCounts(
  env: Pick<Env, "QUEUES">,
  agent: Agent,
): Promise<QueueCounts | null> {
  if (!hasQueue(agentTermsOf(agent))) return null;
  try {
    return await withTimeout(QUEUE_READ_TIMEOUT_MS, queueStub(env.QUEUES, agent.id).readCounts());
  } catch (error) {
    log.warn("queue_read_failed", { agentId: agent.id, error });
    return null;
  }
}

/** Decrypts the secret in an agent's row; null if there is none. The failure says what to do. */
export async function openAgentSecret(
  env: SealEnv,
  agentId: string,
  sealed: string | null,
): Promise<Result<AgentSecret | null, string>> {
  if (sealed === null) return ok(null);
  const opened = await unsealWithKnownKey(env, agentSealUseOf(agentId), sealed);
  // The cast is safe because only `prepareExecutor` seals values for this use.
  if (opened !== null) return ok(opened.value as unknown as AgentSecret);
  log.warn("agent_secret_decrypt_failed", { agentId });
  return fail(
    `The secret of agent ${agentId} was sealed with a key that CREDENTIALS_KEY does not contain. Set it again with PATCH /agents/${agentId}.`,
  );
}

/** Binds a sealed secret to its agent, so that it cannot be opened for another agent. */
export function agentSealUseOf(agentId: string): string {
  return `agent ${agentId}`;
}
