import { getDatabase } from "../platform/d1/client.ts";
import type { Failure } from "../kernel/failure.ts";
import { fail, ok, type Result } from "../kernel/result.ts";
import { runConcurrently } from "../platform/promises.ts";
import { invalidateAgents } from "./agent-cache.ts";
import { findAgent } from "./agents.store.ts";
import { OFFERS_AT_ONCE_MAX, PAUSED_QUEUES_MAX } from "./limits.ts";
import { agentTermsOf, type Agent } from "./model/agent.ts";
import type { Pause } from "./model/pause.ts";
import { deletePause, deletePausesOfAll, savePause, savePauseOfAll } from "./pause.store.ts";
import { queueTermsOf } from "./queue/queue.rpc.ts";
import { syncQueue, type SyncQueueEnv } from "./queue/sync-queue.ts";

/**
 * Pauses an agent: its next tool call is rejected as soon as the pause is stored. Does not change an agent that is
 * already paused, except that its queue is updated again, which an earlier request may have failed to do.
 */
export async function pauseAgent(
  env: SyncQueueEnv,
  agentId: string,
  pause: Pause,
): Promise<Result<Agent, Failure>> {
  await savePause(getDatabase(env.DB), agentId, pause);
  return syncAgent(env, agentId);
}

/** Resumes an agent and wakes its waiting tasks. An agent that is not paused does not change. */
export async function resumeAgent(
  env: SyncQueueEnv,
  agentId: string,
  now: number,
): Promise<Result<Agent, Failure>> {
  await deletePause(getDatabase(env.DB), agentId, now);
  return syncAgent(env, agentId);
}

/** Pauses all agents that are not paused, and returns how many. */
export async function pauseAllAgents(env: SyncQueueEnv, pause: Pause): Promise<number> {
  const agentIds = await savePauseOfAll(getDatabase(env.DB), pause);
  await syncQueues(env, agentIds);
  return agentIds.length;
}

/** Resumes the agents that `pauseAllAgents` paused, and returns how many. */
export async function resumeAllAgents(env: SyncQueueEnv, now: number): Promise<number> {
  const agentIds = await deletePausesOfAll(getDatabase(env.DB), now);
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
