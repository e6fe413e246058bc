import { MINUTE_MS, SECOND_MS } from "../kernel/units.ts";
import { STREAM_LIFE_MS } from "../kernel/limits.ts";

/** How long an isolate that cached a revoked key may still accept it. */
export const KEY_CACHE_MS = 10 * SECOND_MS;

/** Keys and failed lookups in the cache of an isolate. */
export const KEY_CACHE_ENTRIES_MAX = 1_000;

/** How often the key of an open stream or waiting claim is checked, so that both end within 10 s of the key. */
export const KEY_CHECK_MS = 3 * SECOND_MS;

/** A check that another stream of the isolate made within this time is reused. */
export const KEY_CHECK_AGE_MAX_MS = SECOND_MS;

/** A check that takes longer is abandoned and repeated at the next interval. */
export const KEY_CHECK_TIMEOUT_MS = 2 * SECOND_MS;

/** The precision of a key's `lastUsedAt`: each update writes a row. */
export const KEY_LAST_USED_INTERVAL_MS = 10 * MINUTE_MS;

/** How long an isolate caches a key's usage, to which it adds what it admits. */
export const KEY_USAGE_AGE_MAX_MS = 2 * SECOND_MS;

/** How long a request waits for the usage; it is admitted if the directory does not answer. */
export const KEY_USAGE_TIMEOUT_MS = SECOND_MS;

/** Resources of each kind that one revocation lists, and the number of agents that it disables. */
export const KEY_RESOURCES_MAX = 100;

/** After this, a stream whose end was never reported no longer counts against its key. */
export const OPEN_STREAM_LIFE_MS = STREAM_LIFE_MS + MINUTE_MS;
