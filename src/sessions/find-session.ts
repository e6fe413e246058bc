import { getDatabase } from "../platform/d1/client.ts";
import { TtlCache } from "../platform/ttl-cache.ts";
import { SESSION_CACHE_ENTRIES_MAX, SESSION_CACHE_MS, SESSION_CHECK_AGE_MAX_MS } from "./limits.ts";
import { sessionEndOf } from "./model/session.ts";
import { findSession, type StoredSession } from "./sessions.store.ts";

type SessionEnv = Pick<Env, "DB">;

/** Sessions by id; null for ids that do not exist. */
const sessionCache = new TtlCache<StoredSession | null>(
  SESSION_CACHE_MS,
  SESSION_CACHE_ENTRIES_MAX,
);

/** A session that has not ended, regardless of its key; otherwise null. The data is at most `ageMaxMs` old. */
export async function loadSession(
  env: SessionEnv,
  id: string,
  now: number,
  ageMaxMs = SESSION_CACHE_MS,
): Promise<StoredSession | null> {
  let session = sessionCache.get(id, now, ageMaxMs);
  if (session === undefined) {
    session = await findSession(getDatabase(env.DB), id);
    sessionCache.set(id, session, now);
  }
  return session === null || sessionEndOf(session) <= now ? null : session;
}

/** Whether a session that was valid has ended, based on data at most a second old. Throws if D1 fails. */
export async function hasSessionEnded(env: SessionEnv, id: string): Promise<boolean> {
  return (await loadSession(env, id, Date.now(), SESSION_CHECK_AGE_MAX_MS)) === null;
}

/** Updates `lastSeenAt` in this isolate's cache. */
export function markSeen(id: string, now: number): void {
  sessionCache.update(id, (found) => found && { ...found, lastSeenAt: now });
}

/** Removes a session from this isolate's cache, so that its end applies here at once. */
export function invalidateSession(id: string): void {
  sessionCache.delete(id);
}
