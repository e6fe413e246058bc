import { audited, type AuditEnv } from "../governance/audit/audited.ts";
import type { Actor } from "../governance/model/audit-entry.ts";
import { getDatabase } from "../platform/d1/client.ts";
import type { Failure } from "../kernel/failure.ts";
import { fail, ok, type Result } from "../kernel/result.ts";
import { runConcurrently } from "../platform/promises.ts";
import { invalidateAgents } from "./agent-cache.ts";
import { findAgent } from "./agents.store.ts";
import { OFFERS_AT_ONCE_MAX, PAUSED_QUEUES_MAX } from "./limits.ts";
import { agentTermsOf, type Agent } from "./model/agent.ts";
import type { Pause } from "./model/pause.ts";
import {
  deletePause,
  deletePausesOfAll,
  findPause,
  savePause,
  savePauseOfAll,
} from "./pause.store.ts";
import { queueTermsOf } from "./queue/queue.rpc.ts";
import { syncQueue, type SyncQueueEnv } from "./queue/sync-queue.ts";

export type PauseEnv = SyncQueueEnv & AuditEnv;

/** The subject of the audit log's rows about all agents. Agents cannot have this id. */
const ALL_AGENTS = "*";

/**
 * Pauses an agent: its next tool call is rejected as soon as the pause is stored. Does not change an agent that is
 * already paused, except that its queue is updated again, which an earlier request may have failed to do.
 */
export async function pauseAgent(
  env: PauseEnv,
  agentId: string,
  pause: Pause,
  by: Actor,
): Promise<Result<Agent, Failure>> {
  const entry = { action: "agent.paused", subjectId: agentId, after: pause } as const;
  await audited(env, by, (record) => savePause(getDatabase(env.DB), agentId, pause, record(entry)));
  return syncAgent(env, agentId);
}

/**
 * Pauses an agent for the service unless it is already paused, which one query finds out. Returns whether it is paused
 * now.
 */
export async function ensureAgentPaused(
  env: PauseEnv,
  agentId: string,
  pause: Pause,
  by: Actor,
): Promise<boolean> {
  if ((await findPause(getDatabase(env.DB), agentId)) !== null) return true;
  return (await pauseAgent(env, agentId, pause, by)).ok;
}

/** Resumes an agent and wakes its waiting tasks. An agent that is not paused does not change. */
export async function resumeAgent(
  env: PauseEnv,
  agentId: string,
  now: number,
  by: Actor,
): Promise<Result<Agent, Failure>> {
  const db = getDatabase(env.DB);
  await audited(env, by, async (record) => {
    const before = await findPause(db, agentId);
    const entry = { action: "agent.resumed", subjectId: agentId, before } as const;
    return deletePause(db, agentId, now, record(entry));
  });
  return syncAgent(env, agentId);
}

/** Pauses all agents that are not paused, and returns how many. */
export async function pauseAllAgents(env: PauseEnv, pause: Pause, by: Actor): Promise<number> {
  const entry = { action: "agent.all_paused", subjectId: ALL_AGENTS, after: pause } as const;
  const agentIds = await audited(env, by, (record) =>
    savePauseOfAll(getDatabase(env.DB), pause, record(entry)),
  );
  await syncQueues(env, agentIds);
  return agentIds.length;
}

/** Resumes the agents that `pauseAllAgents` paused, and returns how many. */
export async function resumeAllAgents(env: PauseEnv, now: number, by: Actor): Promise<number> {
  const entry = { action: "agent.all_resumed", subjectId: ALL_AGENTS } as const;
  const agentIds = await audited(env, by, (record) =>
    deletePausesOfAll(getDatabase(env.DB), now, record(entry)),
  );
  await syncQueues(env, agentIds);
  return agentIds.length;
}

async function syncAgent(env: SyncQueueEnv, agentId: string): Promise<Result<Agent, Failure>> {
  invalidateAgents();
  const agent = await findAgent(getDatabase(env.DB), agentId);
  if (agent === null) return fail({ kind: "not_found", what: "agent", id: agentId });
  await syncQueue(env, agentId, queueTermsOf(agentTermsOf(agent)));
  return ok(agent);
}

/**
 * Updates the queues of these agents. The queues of further agents notice a pause when a task returns to them, and its
 * end within PAUSE_CHECK_MS.
 */
async function syncQueues(env: SyncQueueEnv, agentIds: readonly string[]): Promise<void> {
  invalidateAgents();
  const left = agentIds.slice(0, PAUSED_QUEUES_MAX).values();
  await runConcurrently(OFFERS_AT_ONCE_MAX, async () => {
    const next = left.next();
    if (next.done === true) return false;
    await syncQueue(env, next.value, { limit: null, isPulled: false });
    return true;
  });
}
