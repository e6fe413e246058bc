import { hasQueue } from "../../domain/agent.ts";
import { QUEUE_LOOK_TIMEOUT_MS } from "../../domain/limits.ts";
import { within } from "../../clock/within.ts";
import { termsIn, type Agent } from "../rows.ts";
import { queueOf, type QueueStanding } from "./port.ts";

/** How an agent's queue stands; null where it has none, or where it does not answer in time. */
export async function lookAtQueue(
  env: Pick<Env, "QUEUES">,
  agent: Agent,
): Promise<QueueStanding | null> {
  if (!hasQueue(termsIn(agent))) return null;
  try {
    return await within(QUEUE_LOOK_TIMEOUT_MS, queueOf(env.QUEUES, agent.id).standing());
  } catch (fault) {
    console.warn({ event: "queue_unanswered", agentId: agent.id, fault });
    return null;
  }
}
