import { agentTermsOf, hasQueue, type Agent } from "./model/agent.ts";
import { QUEUE_READ_TIMEOUT_MS } from "./limits.ts";
import { withTimeout } from "../platform/timeout.ts";
import { queueStub, type QueueCounts } from "./queue/queue.rpc.ts";
import { getDatabase, redactDatabaseError } from "../platform/d1/client.ts";
import { listDirectoryDatabases, type DirectoryEnv } from "../platform/d1/shards.ts";
import { findNewestTaskTime } from "./assignment.store.ts";
import { log } from "../platform/log.ts";

/** When the agent's newest task was created; null if it has none or the directory does not answer in time. */
export async function findLastUse(env: DirectoryEnv, agentId: string): Promise<number | null> {
  const reads = listDirectoryDatabases(env).map((shard) =>
    findNewestTaskTime(getDatabase(shard), agentId),
  );
  try {
    const instants = await withTimeout(QUEUE_READ_TIMEOUT_MS, Promise.all(reads));
    return instants.reduce((one, other) => Math.max(one ?? 0, other ?? 0) || null, null);
  } catch (error) {
    log.warn("agent_usage_read_failed", { agentId, error: redactDatabaseError(error) });
    return null;
  }
}

/** How an agent's queue stands; null where it has none, or where it does not answer in time. */
export async function readQueueCounts(
  env: Pick<Env, "QUEUES">,
  agent: Agent,
): Promise<QueueCounts | null> {
  if (!hasQueue(agentTermsOf(agent))) return null;
  try {
    return await withTimeout(QUEUE_READ_TIMEOUT_MS, queueStub(env.QUEUES, agent.id).readCounts());
  } catch (fault) {
    log.warn("queue_read_failed", { agentId: agent.id, error: fault });
    return null;
  }
}
