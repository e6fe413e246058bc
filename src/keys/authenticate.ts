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
import type { AppContext } from "../http/envelope.ts";

const BEARER = /^Bearer +([\x21-\x7e]+)$/i;
const SECRET_BYTES = 32;
const ID_BYTES = 8;

/** A new key: `bsn_<id>_<secret>`, of which only the hash is ever stored. */
export function generateApiKey(): { id: string; key: string; hash: string } {
  const id = randomBytes(ID_BYTES).toString("hex");
  const key = `bsn_${id}_${randomBytes(SECRET_BYTES).toString("hex")}`;
  return { id, key, hash: hashApiKey(key) };
}

/**
 * SHA-256 of a whole key in hex. The secret has 256 random bits, so no slow hash is needed. Does not use crypto.subtle:
 * for so few bytes, awaiting its promise costs more than the hash.
 */
function hashApiKey(key: string): string {
  return createHash("sha256").update(key).digest("hex");
}

/** The id inside a key, or null if the text is not in the format of a key. */
function parseKeyId(key: string): string | null {
  return /^bsn_([0-9a-f]{16})_[0-9a-f]{64}$/.exec(key)?.[1] ?? null;
}

/** The failure of a request whose key ended while it waited. */
export const KEY_ENDED_FAILURE: Failure = {
  kind: "unauthenticated",
  reason: "This API key was revoked or has expired.",
};

/** A key as stored in D1, and the presented key that matched its hash; null if none has matched yet. */
export interface CachedKey {
  readonly stored: StoredKey;
  readonly verifiedKey: string | null;
}

/** A key that was read again. If its hash is unchanged, the presented key is not hashed again: hashing is expensive. */
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
 * Authenticates the presented key. The root key needs no lookup; other keys are looked up at most every
 * 10 s. The use of a key is recorded after the response.
 */
async function authenticateKey(c: AppContext, presented: string): Promise<Result<Key, Failure>> {
  if (c.env.ROOT_API_KEY !== "" && isEqualInConstantTime(presented, c.env.ROOT_API_KEY))
    return ok(ROOT_KEY);
  const id = parseKeyId(presented);
  const now = Date.now();
  const found = id === null ? null : await loadKey(c.env, id, now);
  if (found === null || !matchesPresentedKey(found, presented))
    return unauthenticated("This API key is not known.");
  const { stored } = found;
  const end = keyEndOf(stored, now);
  if (end?.kind === "revoked") return unauthenticated("This API key was revoked.");
  if (end !== null) return unauthenticated(`This API key expired at ${toIsoTime(end.at)}.`);
  if (shouldRecordUse(stored.lastUsedAt, now))
    c.executionCtx.waitUntil(recordKeyUse(c.env, stored.id, now));
  return ok(toKey(stored));
}

/** A key that was authenticated before; null if it was revoked or has expired. */
export async function findActiveKey(env: Env, id: string): Promise<Key | null> {
  if (id === ROOT_KEY.id) return ROOT_KEY;
  const now = Date.now();
  const stored = (await loadKey(env, id, now))?.stored;
  return stored === undefined || keyEndOf(stored, now) !== null ? null : toKey(stored);
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

/** Runs after the response. If recording fails, a later use is recorded. */
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

/** The fields of a key that limits need. */
type LimitedKey = Pick<Key, "id" | "limits">;

/** Counts of this isolate only, so both limits are approximate. */
const requestCounts = new RequestCounts(KEY_CACHE_ENTRIES_MAX);
const openStreams = new OpenStreams(OPEN_STREAM_LIFE_MS);

/** Authenticates a REST, MCP or A2A request and counts it against the key's requests per minute. */
export async function authenticateRequest(c: AppContext): Promise<Result<Key, Failure>> {
  const presented = readBearerToken(c.req.header("Authorization"));
  if (!presented.ok) return presented;
  const found = await authenticateKey(c, presented.value);
  if (!found.ok) return found;
  const admittedAt = Date.now();
  c.set("key", found.value);
  c.set("recheckKey", () => recheckKeySince(c.env, found.value, admittedAt));
  const { id, limits } = found.value;
  if (limits === null) return found;
  const max = limits.requestsPerMinute;
  const { isAdmitted, window } = requestCounts.count(id, max, Date.now());
  c.set("requestWindow", window);
  if (isAdmitted) return found;
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

/** Checks again that the key is valid, if its last check is older than KEY_CHECK_AGE_MAX_MS. */
async function recheckKeySince(
  env: Pick<Env, "DB">,
  { id, expiresAt }: Key,
  admittedAt: number,
): Promise<Failure | null> {
  const now = Date.now();
  if (id === ROOT_KEY_ID || now - admittedAt < KEY_CHECK_AGE_MAX_MS) return null;
  const isExpired = expiresAt !== null && expiresAt <= now;
  return isExpired || (await hasKeyEnded(env, id)) ? KEY_ENDED_FAILURE : null;
}

/**
 * Counts a stream or a waiting request of a key until `signal` aborts or the returned function is called.
 * One of the two must happen when the stream or request ends.
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

/** As `checkKeyUsage`, for the key that created a task, regardless of which key adds to the task. */
export async function checkCreatorUsage(
  env: DirectoryEnv,
  createdBy: string,
  more: KeyUsage,
): Promise<Failure | null> {
  const limits = await readOrNull(createdBy, findKeyLimits(env, createdBy));
  return checkKeyUsage(env, { id: createdBy, limits }, more);
}

/** The limits of a key, even if it has ended; null for the root key and for unknown keys. */
async function findKeyLimits(env: Pick<Env, "DB">, id: string): Promise<KeyLimits | null> {
  if (id === ROOT_KEY_ID) return null;
  const stored = (await loadKey(env, id, Date.now()))?.stored;
  return stored === undefined ? null : resolveKeyLimits(stored.limits);
}

/** The sum over all shards. */
async function sumUsage(env: DirectoryEnv, keyId: string): Promise<KeyUsage> {
  const reads = listDirectoryDatabases(env).map((shard) => findKeyUsage(getDatabase(shard), keyId));
  return (await Promise.all(reads)).reduce(addKeyUsage);
}

/** The result of a D1 query; null if it fails or does not arrive in time. */
function readOrNull<Value>(keyId: string, query: Promise<Value>): Promise<Value | null> {
  return queryOrNull(KEY_USAGE_TIMEOUT_MS, query, "key_usage_read_failed", { keyId });
}
