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
    const read = await answerOf(id, readUsage(env, id));
    if (read === null) return null;
    // Requests that waited for the first read at the same time may have been admitted before this one.
    const raced = known === undefined ? recent.get(id, Date.now()) : undefined;
    if (raced === undefined) recent.set(id, read, Date.now());
    limit = exceededUsage(raced ?? read, more, limits);
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
  const limits = await answerOf(createdBy, limitsOfKey(env, createdBy));
  return usageFailure(env, { id: createdBy, limits }, more);
}

/** The sum over all shards. */
async function readUsage(env: ShardsEnv, keyId: string): Promise<KeyUsage> {
  const reads = shardsOf(env).map((shard) => findUsage(database(shard), keyId));
  return (await Promise.all(reads)).reduce(addUsage);
}

/** What D1 answers; null if it fails or does not answer in time. */
async function answerOf<Value>(keyId: string, answer: Promise<Value>): Promise<Value | null> {
  try {
    return await within(KEY_USAGE_WAIT_MS, answer);
  } catch (error) {
    console.warn({ event: "key_usage_unknown", keyId, reason: reasonOf(error) });
    return null;
  }
}
