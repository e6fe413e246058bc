import { Lately } from "../clock/lately.ts";
import { database } from "../db/client.ts";
import { reasonOf } from "../db/reason.ts";
import type { Failure } from "../domain/failure.ts";
import { isUseRecorded, keyEnd, ROOT_KEY_ID, SCOPES, type Key } from "../domain/key.ts";
import { keyLimits, type KeyLimits } from "../domain/key-limits.ts";
import { KEY_CACHE_ENTRIES_MAX, KEY_CACHE_MS, KEY_CHECK_AGE_MAX_MS } from "../domain/limits.ts";
import { fail, ok, type Result } from "../domain/result.ts";
import { hashKey, isSame, keyIdOf } from "./secret.ts";
import { readAgain, type Seen } from "./seen.ts";
import { findKey, writeLastUse, type StoredKey } from "./store.ts";

const ROOT: Key = {
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

/** What this isolate has lately seen, by key id; null for ids that do not exist. */
const seen = new Lately<Seen | null>(KEY_CACHE_MS, KEY_CACHE_ENTRIES_MAX);

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
  if (env.ROOT_API_KEY !== "" && isSame(presented, env.ROOT_API_KEY)) return ok(ROOT);
  const id = keyIdOf(presented);
  const now = Date.now();
  const found = id === null ? null : await lookUp(env, id, now);
  if (found === null || !isIts(found, presented)) return refused("This API key is not known.");
  const { stored } = found;
  const end = keyEnd(stored, now);
  if (end?.kind === "revoked") return refused("This API key was revoked.");
  if (end !== null) return refused(`This API key expired at ${new Date(end.at).toISOString()}.`);
  if (isUseRecorded(stored.lastUsedAt, now)) waitUntil(recordUse(env, stored.id, now));
  return ok(keyOf(stored));
}

/** What a key that was let in before may see by now; null once it is revoked or has expired. */
export async function keyOfId(env: Env, id: string): Promise<Key | null> {
  if (id === ROOT.id) return ROOT;
  const now = Date.now();
  const stored = (await lookUp(env, id, now))?.stored;
  return stored === undefined || keyEnd(stored, now) !== null ? null : keyOf(stored);
}

/** The limits of a key, even if it has ended; null for the root key and for unknown keys. */
export async function limitsOfKey(env: Pick<Env, "DB">, id: string): Promise<KeyLimits | null> {
  if (id === ROOT_KEY_ID) return null;
  const stored = (await lookUp(env, id, Date.now()))?.stored;
  return stored === undefined ? null : keyLimits(stored.limits);
}

/** Whether a previously authenticated key has ended, as of about a second ago. Throws if D1 fails. */
export async function hasKeyEnded(env: Pick<Env, "DB">, id: string): Promise<boolean> {
  const now = Date.now();
  const stored = (await lookUp(env, id, now, KEY_CHECK_AGE_MAX_MS))?.stored;
  return stored === undefined || keyEnd(stored, now) !== null;
}

/** Runs after the response. If recording fails, the next use is recorded. */
async function recordUse(env: Env, id: string, now: number): Promise<void> {
  // Update the cache first, so that requests that follow do not record the use again.
  seen.change(id, (found) => found && { ...found, stored: { ...found.stored, lastUsedAt: now } });
  try {
    await writeLastUse(database(env.DB), id, now);
  } catch (error) {
    console.warn({ event: "key_use_not_recorded", keyId: id, reason: reasonOf(error) });
  }
}

/** Lets this isolate forget a key, so that a revocation is felt here at once. */
export function forgetKey(id: string): void {
  seen.forget(id);
}

/** Whether it was this very key that was presented, and not only its id. */
function isIts({ stored, shown }: Seen, presented: string): boolean {
  if (shown !== null && isSame(presented, shown)) return true;
  const isIt = isSame(hashKey(presented), stored.hash);
  if (isIt) seen.change(stored.id, (found) => found && { ...found, shown: presented });
  return isIt;
}

async function lookUp(
  env: Pick<Env, "DB">,
  id: string,
  now: number,
  ageMaxMs = KEY_CACHE_MS,
): Promise<Seen | null> {
  const cached = seen.get(id, now, ageMaxMs);
  if (cached !== undefined) return cached;
  const stored = await findKey(database(env.DB), id);
  const before = seen.get(id, now, Infinity) ?? null;
  const found = stored === null ? null : readAgain(before, stored);
  seen.set(id, found, now);
  return found;
}

function keyOf(stored: StoredKey): Key {
  const { id, name, scopes, agentId, teamId, teamAgentIds, expiresAt, requireTask } = stored;
  const bound = agentId === null ? null : [agentId];
  const agentIds = teamId === null ? bound : teamAgentIds;
  const limits = keyLimits(stored.limits);
  return { id, name, scopes, agentId, teamId, agentIds, expiresAt, requireTask, limits };
}

function refused(reason: string): Result<never, Failure> {
  return fail({ kind: "unauthenticated", reason });
}
