import { TtlCache } from "../platform/ttl-cache.ts";
import { getDatabase, queryOrNull } from "../platform/d1/client.ts";
import { listDirectoryDatabases, type DirectoryEnv } from "../platform/d1/shards.ts";
import type { Failure } from "../kernel/failure.ts";
import {
  createKeyLimitFailure,
  addKeyUsage,
  findExceededLimit,
  type KeyUsage,
} from "./model/key-limits.ts";
import { KEY_CACHE_ENTRIES_MAX, KEY_USAGE_AGE_MAX_MS, KEY_USAGE_TIMEOUT_MS } from "./limits.ts";
import { findKeyLimits } from "./authenticate.ts";
import type { LimitedKey } from "./admit-request.ts";
import { findKeyUsage } from "./keys.store.ts";

/** Usage that this isolate read recently, plus what it has admitted since. */
const usageCache = new TtlCache<KeyUsage>(KEY_USAGE_AGE_MAX_MS, KEY_CACHE_ENTRIES_MAX);

/**
 * Why the tasks of a key may not use `more`, or null. Approximate: other isolates admit at the same time. A
 * request is never rejected on cached usage alone, and is admitted if the directory does not answer.
 */
export async function checkKeyUsage(
  env: DirectoryEnv,
  { id, limits }: LimitedKey,
  more: KeyUsage,
): Promise<Failure | null> {
  if (limits === null) return null;
  const known = usageCache.get(id, Date.now());
  let limit = known === undefined ? null : findExceededLimit(known, more, limits);
  if (known === undefined || limit !== null) {
    const read = await readOrNull(id, sumUsage(env, id));
    if (read === null) return null;
    // Requests that waited for the first read at the same time may have been admitted before this one.
    const raced = known === undefined ? usageCache.get(id, Date.now()) : undefined;
    if (raced === undefined) usageCache.set(id, read, Date.now());
    limit = findExceededLimit(raced ?? read, more, limits);
  }
  if (limit === null) {
    usageCache.update(id, (usage) => addKeyUsage(usage, more));
    return null;
  }
  return createKeyLimitFailure({ id, max: limits[limit] }, limit);
}

/** The same for the key that created a task, regardless of which key adds to the task. */
export async function checkCreatorUsage(
  env: DirectoryEnv,
  createdBy: string,
  more: KeyUsage,
): Promise<Failure | null> {
  const limits = await readOrNull(createdBy, findKeyLimits(env, createdBy));
  return checkKeyUsage(env, { id: createdBy, limits }, more);
}

/** The sum over all shards. */
async function sumUsage(env: DirectoryEnv, keyId: string): Promise<KeyUsage> {
  const reads = listDirectoryDatabases(env).map((shard) => findKeyUsage(getDatabase(shard), keyId));
  return (await Promise.all(reads)).reduce(addKeyUsage);
}

/** What D1 answers; null if it fails or does not answer in time. */
function readOrNull<Value>(keyId: string, query: Promise<Value>): Promise<Value | null> {
  return queryOrNull(KEY_USAGE_TIMEOUT_MS, query, "key_usage_read_failed", { keyId });
}
