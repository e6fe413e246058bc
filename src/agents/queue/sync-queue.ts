import { getDatabase } from "../../platform/d1/client.ts";
import { queueStub, queueTermsOf, type QueueTerms } from "./queue.rpc.ts";
import { findAgentConfig } from "../assignment.store.ts";

export type SyncQueueEnv = Pick<Env, "DB" | "QUEUES">;

/** Rounds are more than one only where others change the same agent at the same moment. */
const SYNC_ROUNDS_MAX = 5;

/** Ends what an agent's queue does under its terms so far: waiting tasks go back to pending. */
export async function closeQueue(
  env: Pick<Env, "QUEUES">,
  agentId: string,
  terms: QueueTerms,
): Promise<void> {
  await queueStub(env.QUEUES, agentId).configure(terms, false);
}

/**
 * Tells an agent's queue how the agent stands in the registry, and looks again afterwards: what others
 * have told it meanwhile may have been older. The queue of an agent that is gone stays closed.
 */
export async function syncQueue(
  env: SyncQueueEnv,
  agentId: string,
  last: QueueTerms,
): Promise<void> {
  const queue = queueStub(env.QUEUES, agentId);
  let sentState: string | null = null;
  for (let round = 0; round < SYNC_ROUNDS_MAX; round += 1) {
    // oxlint-disable-next-line no-await-in-loop -- each round looks at what the last one may have missed
    const config = await findAgentConfig(getDatabase(env.DB), agentId);
    const terms = config === null ? last : queueTermsOf(config.terms);
    const isOpen = config?.enabled ?? false;
    const currentState = JSON.stringify([terms, isOpen]);
    if (currentState === sentState) return;
    // oxlint-disable-next-line no-await-in-loop -- as above
    await queue.configure(terms, isOpen);
    sentState = currentState;
  }
}
