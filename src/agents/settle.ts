import { database } from "../db/client.ts";
import { queueOf, queueTermsIn, type QueueTerms } from "./queue/port.ts";
import { standingOf } from "./registry.ts";

export type SettleEnv = Pick<Env, "DB" | "QUEUES">;

/** Rounds are more than one only where others change the same agent at the same moment. */
const ROUNDS_MAX = 5;

/** Ends what an agent's queue does under its terms so far: waiting tasks go back to pending. */
export async function closeQueue(
  env: Pick<Env, "QUEUES">,
  agentId: string,
  terms: QueueTerms,
): Promise<void> {
  await queueOf(env.QUEUES, agentId).configure(terms, false);
}

/**
 * Tells an agent's queue how the agent stands in the registry, and looks again afterwards: what others
 * have told it meanwhile may have been older. The queue of an agent that is gone stays closed.
 */
export async function settleQueue(
  env: SettleEnv,
  agentId: string,
  last: QueueTerms,
): Promise<void> {
  const queue = queueOf(env.QUEUES, agentId);
  let told: string | null = null;
  for (let round = 0; round < ROUNDS_MAX; round += 1) {
    // oxlint-disable-next-line no-await-in-loop -- each round looks at what the last one may have missed
    const standing = await standingOf(database(env.DB), agentId);
    const terms = standing === null ? last : queueTermsIn(standing.terms);
    const isOpen = standing?.enabled ?? false;
    const news = JSON.stringify([terms, isOpen]);
    if (news === told) return;
    // oxlint-disable-next-line no-await-in-loop -- as above
    await queue.configure(terms, isOpen);
    told = news;
  }
}
