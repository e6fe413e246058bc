import { Lately } from "../clock/lately.ts";
import { database } from "../db/client.ts";
import type { Failure } from "../domain/failure.ts";
import { SCOPES, type Key } from "../domain/key.ts";
import { KEY_CACHE_ENTRIES_MAX, KEY_CACHE_MS } from "../domain/limits.ts";
import { fail, ok, type Result } from "../domain/result.ts";
import { hashKey, isSame, keyIdOf } from "./secret.ts";
import { findKey, type StoredKey } from "./store.ts";

const ROOT: Key = {
  id: "root",
  name: "root",
  scopes: SCOPES,
  agentId: null,
  teamId: null,
  agentIds: null,
};

/** What this isolate has lately seen in D1, by key id; null for ids that do not exist. */
const seen = new Lately<StoredKey | null>(KEY_CACHE_MS, KEY_CACHE_ENTRIES_MAX);

/** The hashes of keys that this isolate has lately let in: making one costs more than all else that is done here. */
const hashes = new Lately<string>(KEY_CACHE_MS, KEY_CACHE_ENTRIES_MAX);

/** Whose key was presented. The root key is asked of nobody; others are looked up every 10 s at most. */
export async function authenticateKey(env: Env, presented: string): Promise<Result<Key, Failure>> {
  if (env.ROOT_API_KEY !== "" && isSame(presented, env.ROOT_API_KEY)) return ok(ROOT);
  const id = keyIdOf(presented);
  const now = Date.now();
  const stored = id === null ? null : await lookUp(env, id, now);
  if (stored === null || !isKeyOf(stored, presented, now)) {
    return refused("This API key is not known.");
  }
  if (stored.revokedAt !== null) return refused("This API key was revoked.");
  if (stored.expiresAt !== null && stored.expiresAt <= now) {
    return refused(`This API key expired at ${new Date(stored.expiresAt).toISOString()}.`);
  }
  return ok(keyOf(stored));
}

/** What a key that was let in before may see by now; null once it is revoked or has expired. */
export async function keyOfId(env: Env, id: string): Promise<Key | null> {
  if (id === ROOT.id) return ROOT;
  const now = Date.now();
  const stored = await lookUp(env, id, now);
  if (stored === null || stored.revokedAt !== null) return null;
  return stored.expiresAt !== null && stored.expiresAt <= now ? null : keyOf(stored);
}

/** Lets this isolate forget a key, so that a revocation is felt here at once. */
export function forgetKey(id: string): void {
  seen.forget(id);
}

function isKeyOf(stored: StoredKey, presented: string, now: number): boolean {
  const known = hashes.get(presented, now);
  const hash = known ?? hashKey(presented);
  const isIt = isSame(hash, stored.hash);
  if (isIt && known === undefined) hashes.set(presented, hash, now);
  return isIt;
}

async function lookUp(env: Env, id: string, now: number): Promise<StoredKey | null> {
  const cached = seen.get(id, now);
  if (cached !== undefined) return cached;
  const stored = await findKey(database(env.DB), id);
  seen.set(id, stored, now);
  return stored;
}

function keyOf(stored: StoredKey): Key {
  const { id, name, scopes, agentId, teamId, teamAgentIds } = stored;
  const bound = agentId === null ? null : [agentId];
  return { id, name, scopes, agentId, teamId, agentIds: teamId === null ? bound : teamAgentIds };
}

function refused(reason: string): Result<never, Failure> {
  return fail({ kind: "unauthenticated", reason });
}
