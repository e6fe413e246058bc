import { TtlCache } from "../platform/ttl-cache.ts";
import { getDatabase, redactDatabaseError } from "../platform/d1/client.ts";
import type { Failure } from "../kernel/failure.ts";
import { shouldRecordUse, keyEndOf, ROOT_KEY_ID, SCOPES, type Key } from "./model/key.ts";
import { resolveKeyLimits, type KeyLimits } from "./model/key-limits.ts";
import { KEY_CACHE_ENTRIES_MAX, KEY_CACHE_MS, KEY_CHECK_AGE_MAX_MS } from "./limits.ts";
import { fail, ok, type Result } from "../kernel/result.ts";
import { isEqualInConstantTime } from "../platform/crypto/hmac.ts";
import { hashApiKey, parseKeyId } from "./api-key.ts";
import { findKey, saveLastUse, selectEndedKeys, type StoredKey } from "./keys.store.ts";
import { toIsoTime } from "../kernel/duration.ts";
import { log } from "../platform/log.ts";

/** A key as D1 has it, and the presented key that matched its hash; null if none has matched yet. */
export interface CachedKey {
  readonly stored: StoredKey;
  readonly verifiedKey: string | null;
}

/**
 * A key that was read again. While its hash stays the same, the presented key is not hashed again, because
 * hashing costs more than the rest of the authentication.
 */
export function refreshCachedKey(before: CachedKey | null, stored: StoredKey): CachedKey {
  return { stored, verifiedKey: before?.stored.hash === stored.hash ? before.verifiedKey : null };
}

const ROOT_KEY: Key = {
  id: ROOT_KEY_ID,
  name: "root",
  scopes: SCOPES,
  agentId: null,
  teamId: null,
  agentIds: null,
  requireTask: false,
  expiresAt: null,
  limits: null,
};

/** Keys by id; null for ids that do not exist. */
const keyCache = new TtlCache<CachedKey | null>(KEY_CACHE_MS, KEY_CACHE_ENTRIES_MAX);

/** Keeps a promise running after the response is sent. */
type WaitUntil = (promise: Promise<unknown>) => void;

/**
 * Authenticates the presented key. The root key needs no look-up; other keys are looked up at most every
 * 10 s. The use of a key is recorded after the response, in `waitUntil`.
 */
export async function authenticateKey(
  env: Env,
  presented: string,
  waitUntil: WaitUntil,
): Promise<Result<Key, Failure>> {
  if (env.ROOT_API_KEY !== "" && isEqualInConstantTime(presented, env.ROOT_API_KEY))
    return ok(ROOT_KEY);
  const id = parseKeyId(presented);
  const now = Date.now();
  const found = id === null ? null : await loadKey(env, id, now);
  if (found === null || !matchesPresentedKey(found, presented))
    return unauthenticated("This API key is not known.");
  const { stored } = found;
  const end = keyEndOf(stored, now);
  if (end?.kind === "revoked") return unauthenticated("This API key was revoked.");
  if (end !== null) return unauthenticated(`This API key expired at ${toIsoTime(end.at)}.`);
  if (shouldRecordUse(stored.lastUsedAt, now)) waitUntil(recordKeyUse(env, stored.id, now));
  return ok(toKey(stored));
}

/** A key that was authenticated before; null if it was revoked or has expired. */
export async function findActiveKey(env: Env, id: string): Promise<Key | null> {
  if (id === ROOT_KEY.id) return ROOT_KEY;
  const now = Date.now();
  const stored = (await loadKey(env, id, now))?.stored;
  return stored === undefined || keyEndOf(stored, now) !== null ? null : toKey(stored);
}

/** The limits of a key, even if it has ended; null for the root key and for unknown keys. */
export async function findKeyLimits(env: Pick<Env, "DB">, id: string): Promise<KeyLimits | null> {
  if (id === ROOT_KEY_ID) return null;
  const stored = (await loadKey(env, id, Date.now()))?.stored;
  return stored === undefined ? null : resolveKeyLimits(stored.limits);
}

/** Whether a previously authenticated key has ended, as of about a second ago. Throws if D1 fails. */
export async function hasKeyEnded(env: Pick<Env, "DB">, id: string): Promise<boolean> {
  const now = Date.now();
  const stored = (await loadKey(env, id, now, KEY_CHECK_AGE_MAX_MS))?.stored;
  return stored === undefined || keyEndOf(stored, now) !== null;
}

/** Which of these keys have ended or do not exist, without the cache. Throws if D1 fails. */
export async function findEndedKeys(
  env: Pick<Env, "DB">,
  ids: readonly string[],
): Promise<readonly string[]> {
  return selectEndedKeys(getDatabase(env.DB), ids, Date.now());
}

/** Runs after the response. If recording fails, the next use is recorded. */
async function recordKeyUse(env: Env, id: string, now: number): Promise<void> {
  // Update the cache first, so that requests that follow do not record the use again.
  keyCache.update(
    id,
    (found) => found && { ...found, stored: { ...found.stored, lastUsedAt: now } },
  );
  try {
    await saveLastUse(getDatabase(env.DB), id, now);
  } catch (error) {
    log.warn("key_use_write_failed", { keyId: id, error: redactDatabaseError(error) });
  }
}

/** Removes a key from this isolate's cache, so that a revocation applies here at once. */
export function invalidateKey(id: string): void {
  keyCache.delete(id);
}

/** Whether the presented key has the secret of the stored one. */
function matchesPresentedKey({ stored, verifiedKey }: CachedKey, presented: string): boolean {
  if (verifiedKey !== null && isEqualInConstantTime(presented, verifiedKey)) return true;
  const isMatch = isEqualInConstantTime(hashApiKey(presented), stored.hash);
  if (isMatch) keyCache.update(stored.id, (found) => found && { ...found, verifiedKey: presented });
  return isMatch;
}

async function loadKey(
  env: Pick<Env, "DB">,
  id: string,
  now: number,
  ageMaxMs = KEY_CACHE_MS,
): Promise<CachedKey | null> {
  const cached = keyCache.get(id, now, ageMaxMs);
  if (cached !== undefined) return cached;
  const stored = await findKey(getDatabase(env.DB), id);
  const before = keyCache.get(id, now, Infinity) ?? null;
  const found = stored === null ? null : refreshCachedKey(before, stored);
  keyCache.set(id, found, now);
  return found;
}

function toKey(stored: StoredKey): Key {
  const { id, name, scopes, agentId, teamId, teamAgentIds, expiresAt, requireTask } = stored;
  const bound = agentId === null ? null : [agentId];
  const agentIds = teamId === null ? bound : teamAgentIds;
  const limits = resolveKeyLimits(stored.limits);
  return { id, name, scopes, agentId, teamId, agentIds, expiresAt, requireTask, limits };
}

function unauthenticated(reason: string): Result<never, Failure> {
  return fail({ kind: "unauthenticated", reason });
}
