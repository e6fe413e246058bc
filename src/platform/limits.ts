import { DAY_MS, KIB, MINUTE_MS, SECOND_MS } from "../kernel/units.ts";

/** Maximum number of directory databases. Each list reads all of them, and a request can query six at a time. */
export const DIRECTORY_SHARDS_MAX = 16;

/** Browsers follow twenty redirects; no sensible API needs more than five. */
export const REDIRECTS_MAX = 5;

/** The maximum backoff before a request's second attempt. It doubles before each later attempt. */
export const RETRY_BACKOFF_MS = 400;

/** The maximum length of another system's error message when it is shown as a reason. */
export const UPSTREAM_REASON_CHARACTERS_MAX = 500;

/**
 * The maximum depth of JSON from another system. Recursion and RPC support this many levels, and no real API needs
 * more.
 */
export const UPSTREAM_JSON_DEPTH_MAX = 100;

/** How long an object waits for D1 or another object while other work is waiting. */
export const STORE_TIMEOUT_MS = 5 * SECOND_MS;

/**
 * The timeout for one DNS query. Public resolvers respond in tens of milliseconds; a tool call has 10 s in total by
 * default.
 */
export const RESOLVER_TIMEOUT_MS = 3 * SECOND_MS;

/** Large enough for hundreds of addresses, yet small enough that a full cache fits in memory. */
export const RESOLVER_RESPONSE_BYTES_MAX = 16 * KIB;

/** A very short TTL could be used to bypass a check; with a very long one, addresses would become outdated. */
export const DNS_CACHE_MIN_MS = 30 * SECOND_MS;

export const DNS_CACHE_MAX_MS = 5 * MINUTE_MS;

/** Maximum number of host names in an isolate's cache. */
export const DNS_CACHE_ENTRIES_MAX = 1_000;

/** How long an idempotency key and its response are stored. Clients retry for minutes, batch jobs overnight. */
export const IDEMPOTENCY_RETENTION_MS = DAY_MS;

/** How long a request can run before it counts as lost: four times the longest timeout of a tool call. */
export const IDEMPOTENCY_LOCK_MAX_MS = 2 * MINUTE_MS;
