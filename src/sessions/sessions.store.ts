import { and, desc, eq, inArray, lt, or, sql, type SQL } from "drizzle-orm";
import type { Database } from "../platform/d1/client.ts";
import { isKeyValidSql } from "../platform/d1/key-predicates.ts";
import { sessionsTable } from "../platform/d1/schema.ts";
import { ROOT_KEY_ID } from "../keys/model/key.ts";
import { SESSION_IDLE_MAX_MS, SESSION_MAX_MS, SESSIONS_PER_KEY_MAX } from "./limits.ts";
import type { Session } from "./model/session.ts";

/** A session as stored. `keyHash` is the SHA-256 of the key, so that a session ends if the key is replaced. */
export type StoredSession = Readonly<typeof sessionsTable.$inferSelect>;

/** Stores a session, and deletes all expired sessions and the oldest ones of a key that has too many. */
export async function insertSession(db: Database, session: StoredSession): Promise<void> {
  const { keyId, createdAt: now } = session;
  const kept = db
    .select({ id: sessionsTable.id })
    .from(sessionsTable)
    .where(eq(sessionsTable.keyId, keyId))
    .orderBy(desc(sessionsTable.lastSeenAt), desc(sessionsTable.id))
    // SQLite requires a limit with an offset, and Drizzle omits a negative one. Every sign-in deletes the surplus.
    .limit(SESSIONS_PER_KEY_MAX)
    .offset(SESSIONS_PER_KEY_MAX);
  await db.batch([
    db.delete(sessionsTable).where(isExpired(now)),
    db.insert(sessionsTable).values(session),
    db.delete(sessionsTable).where(inArray(sessionsTable.id, kept)),
  ]);
}

export async function findSession(db: Database, id: string): Promise<StoredSession | null> {
  return (await db.select().from(sessionsTable).where(eq(sessionsTable.id, id)).get()) ?? null;
}

/** Records that a session was used at `now`. Times never go back. */
export async function saveLastSeen(db: Database, id: string, now: number): Promise<void> {
  await db
    .update(sessionsTable)
    .set({ lastSeenAt: now })
    .where(and(eq(sessionsTable.id, id), lt(sessionsTable.lastSeenAt, now)));
}

/** The sessions of a key, or of all keys (null), that have not ended, most recently used first. */
export async function listSessions(
  db: Database,
  keyId: string | null,
  { limit, offset }: { readonly limit: number; readonly offset: number },
  now: number,
): Promise<Session[]> {
  return db
    .select({
      id: sessionsTable.id,
      keyId: sessionsTable.keyId,
      createdAt: sessionsTable.createdAt,
      lastSeenAt: sessionsTable.lastSeenAt,
      userAgent: sessionsTable.userAgent,
    })
    .from(sessionsTable)
    .where(and(isOfKey(keyId), sql`NOT ${isExpired(now)}`, hasValidKey(now)))
    .orderBy(desc(sessionsTable.lastSeenAt), desc(sessionsTable.id))
    .limit(limit)
    .offset(offset);
}

/** Deletes a session of a key, or of any key (null). Returns false if there is no such session. */
export async function deleteSession(
  db: Database,
  id: string,
  keyId: string | null,
): Promise<boolean> {
  const { meta } = await db
    .delete(sessionsTable)
    .where(and(eq(sessionsTable.id, id), isOfKey(keyId)));
  return meta.changes > 0;
}

/** Deletes all sessions of a key and returns their ids. */
export async function deleteSessionsOfKey(db: Database, keyId: string): Promise<string[]> {
  const rows = await db
    .delete(sessionsTable)
    .where(eq(sessionsTable.keyId, keyId))
    .returning({ id: sessionsTable.id });
  return rows.map(({ id }) => id);
}

function isOfKey(keyId: string | null): SQL | undefined {
  return keyId === null ? undefined : eq(sessionsTable.keyId, keyId);
}

/** As `sessionEndOf`. */
function isExpired(now: number): SQL | undefined {
  return or(
    lt(sessionsTable.lastSeenAt, now - SESSION_IDLE_MAX_MS),
    lt(sessionsTable.createdAt, now - SESSION_MAX_MS),
  );
}

function hasValidKey(now: number): SQL {
  return sql`(${sessionsTable.keyId} = ${ROOT_KEY_ID} OR ${isKeyValidSql(sql`${sessionsTable.keyId}`, now)})`;
}
