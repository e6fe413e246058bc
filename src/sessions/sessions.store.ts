import { and, desc, eq, lte, or, sql, type SQL } from "drizzle-orm";
import type { AuditedBatch } from "../platform/d1/audited-batch.ts";
import type { Database } from "../platform/d1/client.ts";
import { isKeyValidSql, keyFamilySql } from "../platform/d1/key-predicates.ts";
import { sessionsTable } from "../platform/d1/schema.ts";
import { ROOT_KEY_ID } from "../keys/model/key.ts";
import {
  SESSION_IDLE_MAX_MS,
  SESSION_MAX_MS,
  SESSION_SEEN_INTERVAL_MS,
  SESSIONS_PER_KEY_MAX,
} from "./limits.ts";
import type { Session } from "./model/session.ts";

/** A session as stored. `keyHash` is the SHA-256 of the key, so that a session ends if the key is replaced. */
export type StoredSession = Readonly<typeof sessionsTable.$inferSelect>;

/**
 * Stores a session. Also deletes the session that it replaces (null: none), all expired sessions, and the least recently
 * used ones of a key that has too many.
 */
export async function insertSession(
  db: Database,
  session: StoredSession,
  replacedId: string | null,
  batch: AuditedBatch,
): Promise<void> {
  const { keyId, createdAt: now } = session;
  const { id, lastSeenAt } = sessionsTable;
  // Drizzle omits a negative limit, which in SQLite means no limit.
  const surplus = sql`(SELECT ${id} FROM ${sessionsTable} WHERE ${isOfKey(keyId)}
    ORDER BY ${lastSeenAt} DESC, ${id} DESC LIMIT -1 OFFSET ${SESSIONS_PER_KEY_MAX})`;
  await batch(
    [
      db.delete(sessionsTable).where(or(isExpired(now), eq(id, replacedId ?? ""))),
      db.insert(sessionsTable).values(session),
      db.delete(sessionsTable).where(sql`${id} IN ${surplus}`),
    ],
    1,
  );
}

export async function findSession(db: Database, id: string): Promise<StoredSession | null> {
  return (await db.select().from(sessionsTable).where(eq(sessionsTable.id, id)).get()) ?? null;
}

/** Records that a session was used at `now`, unless another isolate has recorded a use within the interval. */
export async function saveLastSeen(db: Database, id: string, now: number): Promise<void> {
  await db
    .update(sessionsTable)
    .set({ lastSeenAt: now })
    .where(
      and(eq(sessionsTable.id, id), lte(sessionsTable.lastSeenAt, now - SESSION_SEEN_INTERVAL_MS)),
    );
}

/**
 * The sessions that a key manages and that have not ended, most recently used first. `rootHash`: the SHA-256 of the
 * current root key.
 */
export async function listSessions(
  db: Database,
  by: string,
  rootHash: string,
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
    .where(and(isManagedBy(by), sql`NOT ${isExpired(now)}`, hasValidKey(rootHash, now)))
    .orderBy(desc(sessionsTable.lastSeenAt), desc(sessionsTable.id))
    .limit(limit)
    .offset(offset);
}

/** The sessions to end: one that a key manages, all of the key, or all that it manages. */
export interface EndedSessions {
  readonly by: string;
  readonly which: "own" | "managed" | { readonly id: string };
}

/** The ids of the sessions to end, with their keys. */
export async function listEndedSessions(
  db: Database,
  ended: EndedSessions,
): Promise<Pick<StoredSession, "id" | "keyId">[]> {
  const { id, keyId } = sessionsTable;
  return db.select({ id, keyId }).from(sessionsTable).where(isEnded(ended)).orderBy(id);
}

export async function deleteSessions(
  db: Database,
  ended: EndedSessions,
  batch: AuditedBatch,
): Promise<void> {
  await batch([db.delete(sessionsTable).where(isEnded(ended))]);
}

function isEnded({ by, which }: EndedSessions): SQL | undefined {
  if (which === "own") return isOfKey(by);
  return which === "managed"
    ? isManagedBy(by)
    : and(eq(sessionsTable.id, which.id), isManagedBy(by));
}

function isOfKey(keyId: string): SQL {
  return sql`${sessionsTable.keyId} = ${keyId}`;
}

/** A key manages its own sessions and those of the keys that it created, directly or indirectly; the root key all. */
function isManagedBy(by: string): SQL | undefined {
  return by === ROOT_KEY_ID ? undefined : sql`${sessionsTable.keyId} IN ${keyFamilySql(by)}`;
}

/** As `sessionEndOf`. */
function isExpired(now: number): SQL | undefined {
  return or(
    lte(sessionsTable.lastSeenAt, now - SESSION_IDLE_MAX_MS),
    lte(sessionsTable.createdAt, now - SESSION_MAX_MS),
  );
}

function hasValidKey(rootHash: string, now: number): SQL {
  const { keyId, keyHash } = sessionsTable;
  const isCurrentRoot = sql`(${keyId} = ${ROOT_KEY_ID} AND ${keyHash} = ${rootHash})`;
  return sql`(${isCurrentRoot} OR ${isKeyValidSql(sql`${keyId}`, now)})`;
}
