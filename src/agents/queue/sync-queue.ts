import { getDatabase } from "../../platform/d1/client.ts";
import { queueStub, queueTermsOf, type QueueTerms } from "./queue.rpc.ts";
import { findAgentConfig } from "../assignment.store.ts";

export type SyncQueueEnv = Pick<Env, "DB" | "QUEUES">;

/** Extra rounds are needed only if the agent changes concurrently. */
const SYNC_ROUNDS_MAX = 5;

/**
 * Sends an agent's settings from the registry to its queue until they stop changing, because a concurrent call may have
 * sent older ones. A deleted agent's queue stays closed.
 */
export async function syncQueue(
  env: SyncQueueEnv,
  agentId: string,
  last: QueueTerms,
): Promise<void> {
  const queue = queueStub(env.QUEUES, agentId);
  let sentState: string | null = null;
  for (let round = 0; round < SYNC_ROUNDS_MAX; round += 1) {
    const config = await findAgentConfig(getDatabase(env.DB), agentId);
    const terms =
      config === null
        ? last
        : { ...queueTermsOf(config.terms), ...(config.isPaused ? { isPaused: true } : {}) };
    const isOpen = config?.enabled ?? false;
    const currentState = JSON.stringify([terms, isOpen]);
    if (currentState === sentState) return;
    await queue.configure(agentId, terms, isOpen);
    sentState = currentState;
  }
}
