import { TtlCache } from "../platform/ttl-cache.ts";
import {
  getDatabase,
  redactDatabaseError,
  queryOrNull,
  listDirectoryDatabases,
  type DirectoryEnv,
} from "../platform/d1/client.ts";
import type { Failure } from "../kernel/failure.ts";
import { shouldRecordUse, keyEndOf, ROOT_KEY_ID, SCOPES, type Key } from "./model/key.ts";
import {
  resolveKeyLimits,
  type KeyLimits,
  createKeyLimitFailure,
  addKeyUsage,
  findExceededLimit,
  type KeyUsage,
} from "./model/key-limits.ts";
import {
  KEY_CACHE_ENTRIES_MAX,
  KEY_CACHE_MS,
  KEY_CHECK_AGE_MAX_MS,
  OPEN_STREAM_LIFE_MS,
  KEY_USAGE_AGE_MAX_MS,
  KEY_USAGE_TIMEOUT_MS,
} from "./limits.ts";
import { fail, ok, type Result } from "../kernel/result.ts";
import {
  findKey,
  saveLastUse,
  selectEndedKeys,
  type StoredKey,
  findKeyUsage,
} from "./keys.store.ts";
import { toIsoTime } from "../kernel/text.ts";
import { log } from "../platform/log.ts";
import { createHash, randomBytes } from "node:crypto";
import { isEqualInConstantTime } from "../platform/crypto/hash.ts";
import { OpenStreams, RequestCounts } from "./model/request-counters.ts";
import { hasSessionEnded } from "../sessions/find-session.ts";
import type { AppContext } from "../http/envelope.ts";

const BEARER = /^Bearer +([\x21-\x7e]+)$/i;
const SECRET_BYTES = 32;
const ID_BYTES = 8;

/** Generates a key in the form `bsn_<id>_<secret>`. The database stores only the key's hash. */
export function generateApiKey(): { id: string; key: string; hash: string } {
  const id = randomBytes(ID_BYTES).toString("hex");
  const key = `bsn_${id}_${randomBytes(SECRET_BYTES).toString("hex")}`;
  return { id, key, hash: hashApiKey(key) };
}

/**
 * The SHA-256 of a complete key, in hex. The secret has 256 random bits, so no slow hash is needed. `crypto.subtle` is
 * not used because, for so few bytes, awaiting its promise costs more than hashing.
 */
export function hashApiKey(key: string): string {
  return createHash("sha256").update(key).digest("hex");
}

/** The id in a key; null if the text does not have the format of a key. */
function parseKeyId(key: string): string | null {
  return /^bsn_([0-9a-f]{16})_[0-9a-f]{64}$/.exec(key)?.[1] ?? null;
}

/** The failure of a request whose key ended while the request was waiting. */
export const KEY_ENDED_FAILURE: Failure = {
  kind: "unauthenticated",
  reason: "This API key was revoked or has expired.",
};

/** A key as stored in D1, and the presented key that matched its hash (null if none has matched yet). */
export interface CachedKey {
  readonly stored: StoredKey;
  readonly verifiedKey: string | null;
}

/**
 * Updates a cached key with the row that was just read. If the hash is unchanged, the presented key stays verified and
 * need not be hashed again.
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

/**
 * Authenticates the presented key. The root key needs no lookup; each isolate caches any other key for up to 10 s.
 * Recording the key's use does not delay the response.
 */
export async function authenticateKey(
  c: AppContext,
  presented: string,
): Promise<Result<Key, Failure>> {
  if (c.env.ROOT_API_KEY !== "" && isEqualInConstantTime(presented, c.env.ROOT_API_KEY))
    return ok(ROOT_KEY);
  const id = parseKeyId(presented);
  const now = Date.now();
  const found = id === null ? null : await loadKey(c.env, id, now);
  if (found === null || !matchesPresentedKey(found, presented))
    return unauthenticated("This API key is not valid.");
  const { stored } = found;
  const end = keyEndOf(stored, now);
  if (end?.kind === "revoked") return unauthenticated("This API key was revoked.");
  if (end !== null) return unauthenticated(`This API key expired at ${toIsoTime(end.at)}.`);
  if (shouldRecordUse(stored.lastUsedAt, now))
    c.executionCtx.waitUntil(recordKeyUse(c.env, stored.id, now));
  return ok(toKey(stored));
}

/** A valid key whose SHA-256 is `hash`; null if the key has ended or was replaced. */
export async function findKeyByHash(env: Env, id: string, hash: string): Promise<Key | null> {
  if (id === ROOT_KEY_ID) {
    const isCurrent = env.ROOT_API_KEY !== "" && hashApiKey(env.ROOT_API_KEY) === hash;
    return isCurrent ? ROOT_KEY : null;
  }
  const now = Date.now();
  const stored = (await loadKey(env, id, now))?.stored;
  const isCurrent = stored?.hash === hash && keyEndOf(stored, now) === null;
  return stored !== undefined && isCurrent ? toKey(stored) : null;
}

/** A previously authenticated key; null if it has been revoked or has expired. */
export async function findActiveKey(env: Env, id: string): Promise<Key | null> {
  if (id === ROOT_KEY.id) return ROOT_KEY;
  const now = Date.now();
  const stored = (await loadKey(env, id, now))?.stored;
  return stored === undefined || keyEndOf(stored, now) !== null ? null : toKey(stored);
}

/**
 * Whether a previously authenticated key, or the session that used it, has ended, based on data at most a second old.
 * Throws if D1 fails.
 */
export async function hasKeyEnded(
  env: Pick<Env, "DB">,
  { id, sessionId }: Pick<Key, "id" | "sessionId">,
): Promise<boolean> {
  if (sessionId !== undefined && (await hasSessionEnded(env, sessionId))) return true;
  if (id === ROOT_KEY_ID) return false;
  const now = Date.now();
  const stored = (await loadKey(env, id, now, KEY_CHECK_AGE_MAX_MS))?.stored;
  return stored === undefined || keyEndOf(stored, now) !== null;
}

/** The ids of the given keys that have ended or do not exist, read without the cache. Throws if D1 fails. */
export async function findEndedKeys(
  env: Pick<Env, "DB">,
  ids: readonly string[],
): Promise<readonly string[]> {
  return selectEndedKeys(getDatabase(env.DB), ids, Date.now());
}

/** Records a key's use without delaying the response. If this fails, a later use is recorded instead. */
export async function recordKeyUse(env: Env, id: string, now: number): Promise<void> {
  // Update the cache first, so the following requests do not record the use again.
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

/** Removes a key from this isolate's cache, so a change or revocation takes effect here immediately. */
export function invalidateKey(id: string): void {
  keyCache.delete(id);
}

/** Whether the presented key matches the stored hash. */
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

/** The key fields needed to check limits. */
type LimitedKey = Pick<Key, "id" | "limits">;

/** These counts cover only this isolate, so both limits are approximate. */
const requestCounts = new RequestCounts(KEY_CACHE_ENTRIES_MAX);
const openStreams = new OpenStreams(OPEN_STREAM_LIFE_MS);

/** Authenticates a REST, MCP or A2A request and counts it towards the key's requests per minute. */
export async function authenticateRequest(c: AppContext): Promise<Result<Key, Failure>> {
  const presented = readBearerToken(c.req.header("Authorization"));
  if (!presented.ok) return presented;
  const found = await authenticateKey(c, presented.value);
  return found.ok ? admitKey(c, found.value) : found;
}

/** Stores a request's authenticated key, and counts the request against the key's requests per minute. */
export function admitKey(c: AppContext, key: Key): Result<Key, Failure> {
  const admittedAt = Date.now();
  c.set("key", key);
  c.set("recheckKey", () => recheckKeySince(c.env, key, admittedAt));
  const { id, limits } = key;
  if (limits === null) return ok(key);
  const max = limits.requestsPerMinute;
  const { isAdmitted, window } = requestCounts.count(id, max, Date.now());
  c.set("requestWindow", window);
  if (isAdmitted) return ok(key);
  return fail(createKeyLimitFailure({ id, max }, "requestsPerMinute", window.resetSeconds));
}

/** The key in an Authorization header. */
function readBearerToken(header: string | undefined): Result<string, Failure> {
  if (header === undefined) {
    const reason =
      "The Authorization header is missing. Send your key: Authorization: Bearer <API_KEY>.";
    return unauthenticated(reason);
  }
  const presented = BEARER.exec(header)?.[1];
  if (presented !== undefined) return ok(presented);
  const reason = "The Authorization header is invalid. It must have the form: Bearer <API_KEY>.";
  return unauthenticated(reason);
}

/** Checks the key again if the request was admitted at least KEY_CHECK_AGE_MAX_MS ago. */
async function recheckKeySince(
  env: Pick<Env, "DB">,
  key: Key,
  admittedAt: number,
): Promise<Failure | null> {
  const now = Date.now();
  if (now - admittedAt < KEY_CHECK_AGE_MAX_MS) return null;
  const isExpired = key.expiresAt !== null && key.expiresAt <= now;
  return isExpired || (await hasKeyEnded(env, key)) ? KEY_ENDED_FAILURE : null;
}

/**
 * Counts a stream or waiting request towards a key's limit until `signal` is aborted or the returned function is
 * called. One of the two must happen when the stream or request ends.
 */
export function reserveStream(
  { id, limits }: LimitedKey,
  signal: AbortSignal,
): Result<() => void, Failure> {
  if (limits === null) return ok(() => {});
  const max = limits.openStreams;
  const end = openStreams.begin(id, max, Date.now());
  if (end === null) return fail(createKeyLimitFailure({ id, max }, "openStreams"));
  signal.addEventListener("abort", end, { once: true });
  if (signal.aborted) end();
  return ok(end);
}

/** Usage that this isolate read recently, plus what it has admitted since. */
const usageCache = new TtlCache<KeyUsage>(KEY_USAGE_AGE_MAX_MS, KEY_CACHE_ENTRIES_MAX);

/**
 * The failure if a key's tasks may not use `more`; otherwise null. The check is approximate, because other isolates
 * admit requests at the same time. A request is never rejected on cached usage alone, and is admitted if the directory
 * does not respond.
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
    // Other requests that waited for the same first read may have been admitted before this one.
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

/** Like `checkKeyUsage`, but for the key that created a task, regardless of which key adds to the task. */
export async function checkCreatorUsage(
  env: DirectoryEnv,
  createdBy: string,
  more: KeyUsage,
): Promise<Failure | null> {
  const limits = await readOrNull(createdBy, findKeyLimits(env, createdBy));
  return checkKeyUsage(env, { id: createdBy, limits }, more);
}

/** A key's limits, even if the key has ended; null for the root key and for unknown keys. */
async function findKeyLimits(env: Pick<Env, "DB">, id: string): Promise<KeyLimits | null> {
  if (id === ROOT_KEY_ID) return null;
  const stored = (await loadKey(env, id, Date.now()))?.stored;
  return stored === undefined ? null : resolveKeyLimits(stored.limits);
}

/** Adds up the usage in all shards of the directory. */
async function sumUsage(env: DirectoryEnv, keyId: string): Promise<KeyUsage> {
  const reads = listDirectoryDatabases(env).map((shard) => findKeyUsage(getDatabase(shard), keyId));
  return (await Promise.all(reads)).reduce(addKeyUsage);
}

/** The result of a D1 query; null if the query fails or times out. */
function readOrNull<Value>(keyId: string, query: Promise<Value>): Promise<Value | null> {
  return queryOrNull(KEY_USAGE_TIMEOUT_MS, query, "key_usage_read_failed", { keyId });
}
