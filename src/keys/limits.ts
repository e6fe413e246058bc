import { MINUTE_MS, SECOND_MS } from "../kernel/units.ts";
import { STREAM_LIFE_MS } from "../kernel/limits.ts";

/** How long an isolate may still accept a revoked key that it has cached. */
export const KEY_CACHE_MS = 10 * SECOND_MS;

/** The maximum number of keys and failed lookups in an isolate's cache. */
export const KEY_CACHE_ENTRIES_MAX = 1_000;

/**
 * How often the key of an open stream or waiting claim is checked, so that the stream or claim ends within 10 s after
 * its key does.
 */
export const KEY_CHECK_MS = 3 * SECOND_MS;

/** How long an isolate reuses the result of a check, for example for another stream with the same key. */
export const KEY_CHECK_AGE_MAX_MS = SECOND_MS;

/** A check that takes longer is abandoned and repeated at the next interval. */
export const KEY_CHECK_TIMEOUT_MS = 2 * SECOND_MS;

/**
 * The precision of a key's `lastUsedAt`. A higher precision would cost more writes, because each update writes a row.
 */
export const KEY_LAST_USED_INTERVAL_MS = 10 * MINUTE_MS;

/** How long an isolate caches a key's usage. In the meantime, the isolate adds what it admits. */
export const KEY_USAGE_AGE_MAX_MS = 2 * SECOND_MS;

/** How long a request waits for the key's usage. The request is admitted if the directory does not respond in time. */
export const KEY_USAGE_TIMEOUT_MS = SECOND_MS;

/** The maximum number of resources of each kind that one revocation lists, and of agents that it disables. */
export const KEY_RESOURCES_MAX = 100;

/** How long until a stream whose end was never reported stops counting towards its key's limit. */
export const OPEN_STREAM_LIFE_MS = STREAM_LIFE_MS + MINUTE_MS;
