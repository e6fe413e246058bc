import { within } from "../clock/within.ts";
import { database } from "../db/client.ts";
import { reasonOf } from "../db/reason.ts";
import { shardsOf, type ShardsEnv } from "../db/shards.ts";
import { QUEUE_LOOK_TIMEOUT_MS } from "../domain/limits.ts";
import { newestTaskAt } from "./registry.ts";

/** When the agent's newest task was created; null if it has none or the directory does not answer in time. */
export async function lastUseOf(env: ShardsEnv, agentId: string): Promise<number | null> {
  const looks = shardsOf(env).map((shard) => newestTaskAt(database(shard), agentId));
  try {
    const instants = await within(QUEUE_LOOK_TIMEOUT_MS, Promise.all(looks));
    return instants.reduce((one, other) => Math.max(one ?? 0, other ?? 0) || null, null);
  } catch (error) {
    console.warn({ event: "agent_use_unknown", agentId, reason: reasonOf(error) });
    return null;
  }
}
