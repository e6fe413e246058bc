import { DAY_MS, KIB, MINUTE_MS, SECOND_MS } from "../kernel/units.ts";

/** Databases of the directory. Each list reads all of them, and a request can use six at a time. */
export const DIRECTORY_SHARDS_MAX = 16;

/** Browsers follow twenty; no sensible API needs more than five. */
export const REDIRECTS_MAX = 5;

/** The longest pause before the second attempt of a request; it doubles before the third. */
export const RETRY_BACKOFF_MS = 400;

/** The part of another system's error message that is shown as a reason. */
export const UPSTREAM_REASON_CHARACTERS_MAX = 500;

/** JSON of another system: recursion and RPC support this many levels, and no real API needs them. */
export const UPSTREAM_JSON_DEPTH_MAX = 100;

/** How long an object waits for D1 or another object while other work waits for it. */
export const STORE_TIMEOUT_MS = 5 * SECOND_MS;

/** One DNS query. Public resolvers respond in tens of milliseconds; a call has 10 s in total. */
export const RESOLVER_TIMEOUT_MS = 3 * SECOND_MS;

/** Enough for hundreds of addresses, and small enough for a full cache. */
export const RESOLVER_RESPONSE_BYTES_MAX = 16 * KIB;

/** A short TTL could be used to bypass a check; a long one would make addresses stale. */
export const DNS_CACHE_MIN_MS = 30 * SECOND_MS;

export const DNS_CACHE_MAX_MS = 5 * MINUTE_MS;

/** Host names in the cache of an isolate. */
export const DNS_CACHE_ENTRIES_MAX = 1_000;

/** How long an idempotency key and its response are stored; clients retry for minutes, batch jobs overnight. */
export const IDEMPOTENCY_RETENTION_MS = DAY_MS;

/** A running request counts as lost after this: four times the longest timeout of any request. */
export const IDEMPOTENCY_LOCK_MAX_MS = 2 * MINUTE_MS;

/** One row of a stored response; rows are limited to 2 MB. */
export const IDEMPOTENCY_ROW_CHARACTERS_MAX = KIB * KIB;
