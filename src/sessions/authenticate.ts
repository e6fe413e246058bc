import { createHash, randomBytes } from "node:crypto";
import { getDatabase, redactDatabaseError } from "../platform/d1/client.ts";
import { log } from "../platform/log.ts";
import type { Failure } from "../kernel/failure.ts";
import { fail, type Result } from "../kernel/result.ts";
import { SECOND_MS } from "../kernel/units.ts";
import type { AppContext } from "../http/envelope.ts";
import { requestOriginOf } from "../http/envelope.ts";
import { actorWithKey } from "../governance/audit/actor.ts";
import { audited } from "../governance/audit/audited.ts";
import { admitKey, findKeyByHash, recordKeyUse } from "../keys/authenticate.ts";
import { ROOT_KEY_ID, type Key } from "../keys/model/key.ts";
import { invalidateSession, loadSession, markSeen } from "./find-session.ts";
import { SESSION_MAX_MS, USER_AGENT_CHARACTERS_MAX } from "./limits.ts";
import { formatCookie, readCookie } from "./model/cookie.ts";
import { findCrossSiteProblem } from "./model/same-origin.ts";
import { shouldRecordSession } from "./model/session.ts";
import { insertSession, saveLastSeen, type StoredSession } from "./sessions.store.ts";

const SECRET_BYTES = 32;

const SESSION_ENDED: Failure = {
  kind: "unauthenticated",
  reason: "This session has ended. Sign in again.",
};

/** Whether a request is authorised by the session cookie. The cookie is ignored if there is an Authorization header. */
export function usesSession(c: AppContext): boolean {
  return c.req.header("Authorization") === undefined && readSecret(c) !== null;
}

/** Authenticates a request with the session cookie, and counts it against the limits of the session's key. */
export async function authenticateSession(c: AppContext): Promise<Result<Key, Failure>> {
  const problem = findCrossSiteProblem({
    method: c.req.method,
    origin: requestOriginOf(c),
    header: (name) => c.req.header(name),
  });
  if (problem !== null) return fail({ kind: "cross_site_request", reason: problem });
  const found = await findValidSession(c);
  if (found === null) return fail(SESSION_ENDED);
  const { session, key } = found;
  c.set("session", session);
  const now = Date.now();
  if (shouldRecordSession(session, now))
    c.executionCtx.waitUntil(recordSession(c.env, session, now));
  return admitKey(c, { ...key, sessionId: session.id });
}

/** The request's valid session and its key; null if the session or its key has ended. */
async function findValidSession(
  c: AppContext,
): Promise<{ session: StoredSession; key: Key } | null> {
  const secret = readSecret(c);
  if (secret === null) return null;
  const session = await loadSession(c.env, hashSecret(secret), Date.now());
  if (session === null) return null;
  const key = await findKeyByHash(c.env, session.keyId, session.keyHash);
  return key === null ? null : { session, key };
}

/**
 * Creates a session for a key, and ends the one that the browser has. Returns it with the header that stores its secret
 * in the browser.
 */
export async function startSession(
  c: AppContext,
  keyId: string,
  keyHash: string,
): Promise<{ session: StoredSession; setCookie: string }> {
  const secret = randomBytes(SECRET_BYTES).toString("base64url");
  const now = Date.now();
  const userAgent = (c.req.header("User-Agent") ?? "").slice(0, USER_AGENT_CHARACTERS_MAX);
  const session = {
    id: hashSecret(secret),
    keyId,
    keyHash,
    createdAt: now,
    lastSeenAt: now,
    userAgent,
  };
  const replaced = readSecret(c);
  const replacedId = replaced === null ? null : hashSecret(replaced);
  const entry = {
    action: "session.created",
    subjectId: session.id,
    after: { keyId, replacedSessionId: replacedId ?? undefined },
  } as const;
  await audited(c.env, actorWithKey(c, keyId, session.id), (record) =>
    insertSession(getDatabase(c.env.DB), session, replacedId, record(entry)),
  );
  if (replacedId !== null) invalidateSession(replacedId);
  return {
    session,
    setCookie: formatCookie(requestOriginOf(c), secret, SESSION_MAX_MS / SECOND_MS),
  };
}

/** The header that removes the cookie from the browser. */
export function clearCookie(c: AppContext): string {
  return formatCookie(requestOriginOf(c), "", 0);
}

/** Records the use of a session and of its key after the response. If recording fails, a later request is recorded. */
async function recordSession(env: Env, session: StoredSession, now: number): Promise<void> {
  // Update the cache first, so that the requests that follow do not record the session again.
  markSeen(session.id, now);
  const recordingKey = session.keyId === ROOT_KEY_ID ? null : recordKeyUse(env, session.keyId, now);
  try {
    await saveLastSeen(getDatabase(env.DB), session.id, now);
  } catch (error) {
    log.warn("session_use_write_failed", {
      keyId: session.keyId,
      error: redactDatabaseError(error),
    });
  }
  await recordingKey;
}

function readSecret(c: AppContext): string | null {
  return readCookie(c.req.header("Cookie"), requestOriginOf(c));
}

/** SHA-256 in hex. The secret has 256 random bits, so no slow hash is needed. */
function hashSecret(secret: string): string {
  return createHash("sha256").update(secret).digest("hex");
}
