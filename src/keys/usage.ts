import { Lately } from "../clock/lately.ts";
import { within } from "../clock/within.ts";
import { database } from "../db/client.ts";
import { reasonOf } from "../db/reason.ts";
import { shardsOf, type ShardsEnv } from "../db/shards.ts";
import type { Failure } from "../domain/failure.ts";
import { addUsage, exceededUsage, type KeyUsage } from "../domain/key-usage.ts";
import {
  KEY_CACHE_ENTRIES_MAX,
  KEY_USAGE_AGE_MAX_MS,
  KEY_USAGE_WAIT_MS,
} from "../domain/limits.ts";
import { limitsOfKey } from "./authenticate.ts";
import type { LimitedKey } from "./key-limits.ts";
import { findUsage } from "./store.ts";

/** Usage that this isolate read recently, plus what it has admitted since. */
const recent = new Lately<KeyUsage>(KEY_USAGE_AGE_MAX_MS, KEY_CACHE_ENTRIES_MAX);

/**
 * Why the tasks of a key may not use `more`, or null. Approximate: other isolates admit at the same time. A
 * request is never rejected on cached usage alone, and is admitted if the directory does not answer.
 */
export async function usageFailure(
  env: ShardsEnv,
  { id, limits }: LimitedKey,
  more: KeyUsage,
): Promise<Failure | null> {
  if (limits === null) return null;
  const known = recent.get(id, Date.now());
  let limit = known === undefined ? null : exceededUsage(known, more, limits);
  if (known === undefined || limit !== null) {
    const read = await readUsage(env, id);
    if (read === null) return null;
    recent.set(id, read, Date.now());
    limit = exceededUsage(read, more, limits);
  }
  if (limit === null) {
    recent.change(id, (usage) => addUsage(usage, more));
    return null;
  }
  const max = limits[limit];
  return { kind: "key_limit_reached", keyId: id, limit, max, retryAfterSeconds: null };
}

/** The same for the key that created a task, regardless of which key adds to the task. */
export async function creatorUsageFailure(
  env: ShardsEnv,
  createdBy: string,
  more: KeyUsage,
): Promise<Failure | null> {
  const limits = await limitsOfKey(env, createdBy);
  return usageFailure(env, { id: createdBy, limits }, more);
}

/** The sum over all shards; null if one does not answer in time. */
async function readUsage(env: ShardsEnv, keyId: string): Promise<KeyUsage | null> {
  const reads = shardsOf(env).map((shard) => findUsage(database(shard), keyId));
  try {
    const parts = await within(KEY_USAGE_WAIT_MS, Promise.all(reads));
    return parts.reduce(addUsage);
  } catch (error) {
    console.warn({ event: "key_usage_unknown", keyId, reason: reasonOf(error) });
    return null;
  }
}
