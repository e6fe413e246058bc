import { SESSION_IDLE_MAX_MS, SESSION_MAX_MS, SESSION_SEEN_INTERVAL_MS } from "../limits.ts";

/** A person who is signed in with an API key. Times are in milliseconds since 1970. */
export interface Session {
  /** SHA-256 of the cookie's value in hex. It identifies the session but cannot be used as the cookie. */
  readonly id: string;
  readonly keyId: string;
  readonly createdAt: number;
  /** Recorded at most once per SESSION_SEEN_INTERVAL_MS. */
  readonly lastSeenAt: number;
  readonly userAgent: string;
}

/** When a session ends: after 12 hours without a request, and after seven days at the latest. */
export function sessionEndOf({
  createdAt,
  lastSeenAt,
}: Pick<Session, "createdAt" | "lastSeenAt">): number {
  return Math.min(lastSeenAt + SESSION_IDLE_MAX_MS, createdAt + SESSION_MAX_MS);
}

/**
 * Whether to record a request at `now`. Each record writes a row, so a request soon after a recorded one is not
 * recorded. If the clock was set back, nothing is recorded.
 */
export function shouldRecordSession(
  { lastSeenAt }: Pick<Session, "lastSeenAt">,
  now: number,
): boolean {
  return now - lastSeenAt >= SESSION_SEEN_INTERVAL_MS;
}
