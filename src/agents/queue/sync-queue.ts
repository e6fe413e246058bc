import { getDatabase } from "../../platform/d1/client.ts";
import { queueStub, queueTermsOf, type QueueTerms } from "./queue.rpc.ts";
import { findAgentConfig } from "../assignment.store.ts";

export type SyncQueueEnv = Pick<Env, "DB" | "QUEUES">;

/** More than one round is needed only if the agent changes concurrently. */
const SYNC_ROUNDS_MAX = 5;

/**
 * Sends an agent's terms in the registry to its queue until they no longer change, because a concurrent call may
 * have sent older ones. The queue of a deleted agent stays closed.
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
    const terms = config === null ? last : queueTermsOf(config.terms);
    const isOpen = config?.enabled ?? false;
    const currentState = JSON.stringify([terms, isOpen]);
    if (currentState === sentState) return;
    await queue.configure(agentId, terms, isOpen);
    sentState = currentState;
  }
}
