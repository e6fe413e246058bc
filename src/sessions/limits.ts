import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from "../kernel/units.ts";

/** How long a session lasts without a request. */
export const SESSION_IDLE_MAX_MS = 12 * HOUR_MS;

/** How long a session lasts, regardless of requests. */
export const SESSION_MAX_MS = 7 * DAY_MS;

/** The precision of a session's `lastSeenAt`. */
export const SESSION_SEEN_INTERVAL_MS = 10 * MINUTE_MS;

/** How long an isolate may still accept a session that was ended in another isolate. */
export const SESSION_CACHE_MS = 10 * SECOND_MS;

/** How long an isolate reuses the result of checking the session of an open stream. */
export const SESSION_CHECK_AGE_MAX_MS = SECOND_MS;

/** The maximum number of sessions in an isolate's cache. */
export const SESSION_CACHE_ENTRIES_MAX = 1_000;

/** The maximum number of valid sessions of one key. A new session ends the oldest one. */
export const SESSIONS_PER_KEY_MAX = 100;

/** The maximum length of a stored `User-Agent` header. */
export const USER_AGENT_CHARACTERS_MAX = 256;

/** How long the link that `npm run dev` prints is valid. */
export const SIGN_IN_LINK_MS = 12 * HOUR_MS;

/** Sign-in attempts per minute from one IP address. Approximate: each isolate counts its own. */
export const SIGN_IN_ATTEMPTS_MAX = 20;

/** The maximum number of IP addresses whose attempts an isolate counts. */
export const SIGN_IN_ADDRESSES_MAX = 10_000;

/** How long a failed sign-in takes. */
export const SIGN_IN_FAILURE_MS = 500;
